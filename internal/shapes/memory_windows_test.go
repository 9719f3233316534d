package shapes

// usageFile is of no use here: what a process took is not asked of Windows.
const usageFile = "SHAPES_USAGE"

func measure(string) int { return 2 }
