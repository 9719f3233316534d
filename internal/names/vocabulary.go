package names

import "sync"

// vocabulary contains words used in names of tools and servers, including product names, and words
// that differ from these in one letter. A vocabulary word never counts as a typo of another one; any
// other word similar to a vocabulary word counts as a typo of it.
var vocabulary = sync.OnceValue(func() map[string]bool {
	return Set(`
	accept access account action activate active activity adapt adapter add address adjust admin adopt advice agent alert alias alpha
	analysis analyze answer append apply approve archive argument arrange article artifact ask assert assign asset attach
	attachment attack audit auth author avatar backup badge balance banner base bash batch beta billing bind birch block board body
	book bookmark border branch brand breach break browse browser bucket budget build bulk bundle button cable cache
	calendar call cancel capture card cart case cash catalog catch category cause cell center chain change channel chapter charge
	chart chat check checkout child choice choose chunk city class clean clear click client climb clip clock clone close cloud
	cluster coach code collect collection color column combine command comment commit company compare compile complete component
	compose compute concept concert config confirm connect connection console contact contacts contain content contents contest context
	continue contract contrast control convert cookie copy cost count country course cover crash crate crawl create created credential
	cross cube current cursor customer cycle daily dash dashboard data database dataset date deal debug decide decline
	decode deep default define delay delete deliver demand demo deny deploy depth describe description design desk detail detect develop
	device diagram dialog diff digest direct direction directory disable discord disk display dispatch distance doc docs document domain
	done double download draft drag draw drive driver drop duplicate each early edge edit editor effect elect element email embed
	enable encode encrypt end engine enter entity entry env environment equal error escape estimate evaluate event exact example excel
	exchange exec execute exit expand expect expert explain explore export express extend extension extra extract fact fail family
	farm fast favorite fetch field figure file fill film filter final find fire firewall fix flag flat fleet flight float floor flow
	flush focus folder follow forecast fork form format forum forward frame free friend from front full function fund game gate
	gateway general generate get git give global goal grant graph grep grid group grow guard guest guide handle hash head header health
	heart heat help hide high history hold home host hotel hour house hover html identify identity idle image import inbox include
	incident index info information inject inline input insert insight inspect install instance instruct insure integrate interact
	interest invite invoice invoke issue item job join journal json jump keep kernel key keyword kill kind knowledge label labs land language
	last launch layer layout lead leaf league learn leave left legal lend length lesson letter level library license light limit line
	link lint list listen live load loan local locale locate location lock log login loop loss lower mail main maintain make mall manage
	manager map mark market match math media meet meeting member memory mention menu merge mesh message meta metadata meter method
	metric metrics migrate migration minute mirror missing mobile mock mode model modify module money monitor month more mount mouse move
	movie multiple music name native navigate nearby need nest network news next node none normal notary note notebook notes notice notify
	number object observe offer office online open operate operation option order organization origin output owner pack package page
	paint pair pane panel paper parent park parse part partner pass password past paste patch path pause pay payment people percent
	performance permission person phone photo pick picture piece pin ping pipe pipeline place plain plan plane planet plant play player
	plot plugin point policy poll pool port portal position post posts power practice predict preference prefix prepare present press
	preview previous price primary print prior private prize probe problem process prod product profile program progress project prompt proof
	property propose protect provide provider proxy publish pull purchase purge push query question queue quick quiet quit quote quota
	race random range rank rate raven reach react read ready real reason rebase receipt receive recent recipe record recover redirect redo
	reduce reference refine refresh refund refuse region register reject relation relay release reload remind reminder remote remove
	rename render rent repair repeat replace reply repo report repository request require rerun research reserve reset resize resolve resource
	response rest restart restore result resume retrieve retry return reveal revert review revise revoke reward ride right
	ring risk road role roll room root rotate route router row rule run safe sale sample sandbox save scale scan scene schedule
	schema scope score scrape screen screenshot script scroll search season secret section secure security seed seek segment select self sell
	send sense sequence series serve server service session set setting setup shape share sheet shell shelf shift ship shop short
	show shut side sign signal similar simple single site size skill skip sleep slice slide slot small snap snapshot social sort sound
	source space spade spare spec speed spell spend split sport stack staff stage staging standard star start state statement static
	station stats status stay stem step stick stock stop storage store story stream street string strip structure student studio
	style submit subscribe suggest suite sum summary supply support survey suspend swap switch symbol sync system table tag take talk
	target task tax teach team tech template term terminal test text theme there thing think thread threat ticket tier tile time timer
	title todo toggle token tool topic total touch tour trace track trade traffic train transaction transcript transfer transform
	transit translate transport travel tree trend trial trigger trip trust tube tune turn type undo unit unlock update upgrade
	upload usage use user valid validate value vault vendor verify version video view virtual visit voice volume vote wait walk
	wallet warehouse watch wave weather web webhook webpage website week weight wheel white widget width wiki will window wire wish
	word work worker workflow workspace world write year yield zone zoom
	excel gemini miro monday railway replicate sanity unity brave grave slick stick sigma motion canvas`)
})

// properNames lists the words in well-known names that are not in the vocabulary. They have no
// plurals.
var properNames = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, name := range WellKnown() {
		for _, w := range name {
			set[w] = !vocabulary()[w]
		}
	}
	return set
})
