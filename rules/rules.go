// Package rules is the table of what mcpscan checks. The rules stand in one package for
// each family, one rule a file.
//
// A rule is a value that explains itself and a pure function. It must never
// hold state between events, do I/O or read a clock. No family imports another: what two
// families need is a package under internal.
package rules

import (
	"github.com/mcpscan/mcpscan/rules/configuration"
	"github.com/mcpscan/mcpscan/rules/crossserver"
	"github.com/mcpscan/mcpscan/rules/declaration"
	"github.com/mcpscan/mcpscan/rules/drift"
	"github.com/mcpscan/mcpscan/rules/hidden"
	"github.com/mcpscan/mcpscan/rules/instructions"
	"github.com/mcpscan/mcpscan/rules/policy"
	"github.com/mcpscan/mcpscan/rules/protocol"
	"github.com/mcpscan/mcpscan/rules/requests"
	"github.com/mcpscan/mcpscan/rules/session"
	"github.com/mcpscan/mcpscan/rules/supplychain"
	"github.com/mcpscan/mcpscan/scanner"
)

// All returns every rule, in the order of the documentation. Adding a rule is
// one file in its family and one line here.
func All() []scanner.Rule {
	return []scanner.Rule{
		// Instructions to the model.
		instructions.Override,
		instructions.ObeyOutput,
		instructions.TaskDiversion,
		instructions.ImpersonateAuthority,
		instructions.RoleTags,
		instructions.Persona,
		instructions.ApprovalBypass,
		instructions.OutputControl,
		instructions.AnswerForm,
		instructions.OutOfPlace,
		instructions.ToolCall,
		instructions.AgentOrder,
		instructions.CodeInsertion,
		instructions.DelayedTrigger,
		instructions.DangerousCommand,
		instructions.Conceal,
		instructions.SecretFileRead,
		instructions.CredentialUpload,
		instructions.ExfilSink,
		instructions.ErrorEscalation,
		instructions.DownloadExec,
		instructions.AgentConfigWrite,
		instructions.MemoryWrite,
		instructions.MarkdownExfil,
		instructions.ForcedPreference,
		instructions.PrecallOrder,
		instructions.OtherLanguage,
		// Mentions of something that an attack would need.
		instructions.MentionedDirective,
		instructions.MentionedCredential,
		instructions.MentionedExfilCommand,
		instructions.MentionedShellSyntax,
		instructions.MentionedPathTraversal,
		// Hidden text.
		hidden.UnicodeTags,
		hidden.Bidi,
		hidden.AnsiControl,
		hidden.ZeroWidth,
		hidden.VariationSelectors,
		hidden.Homoglyph,
		hidden.MarkupComment,
		hidden.UIModelSplit,
		hidden.WhitespacePush,
		// Schemas.
		declaration.SuspiciousParam,
		declaration.SecretParam,
		declaration.DangerDefault,
		declaration.RemoteRef,
		declaration.ResourceBomb,
		declaration.HeaderParamInvalid,
		declaration.HeaderParamSensitive,
		declaration.OutputMismatch,
		// What tools declare about themselves, and what they can do.
		declaration.ReadonlyContradiction,
		declaration.OpenworldContradiction,
		declaration.CapExec,
		declaration.CapOverbroad,
		// Between servers, and over time.
		instructions.ToolReference,
		instructions.Learned, // behind all rules that read sentences: it weighs what they found
		crossserver.ShadowTool,
		crossserver.NameLookalike,
		crossserver.ServerLookalike,
		crossserver.PrefixConfusion,
		crossserver.Impersonation,
		crossserver.ToxicFlow,
		drift.InSession,
		drift.Cloaking,
		// Drift from what was approved.
		drift.Description,
		drift.Instructions,
		drift.SchemaBreaking,
		drift.SchemaCompatible,
		drift.AnnotationEscalation,
		drift.MetaEscalation,
		drift.OtherMember,
		drift.Unseen,
		drift.NewTool,
		drift.RemovedTool,
		drift.Identity,
		drift.BinaryMismatch,
		drift.LockMissing,
		drift.LockTampered,
		drift.LockPending,
		drift.LockStale,
		drift.LockIncomplete,
		// In a session.
		session.UnlistedTool,
		session.Burst,
		session.ArgsViolateSchema,
		session.PathEscape,
		session.ConfigWrite,
		session.MessageFlood,
		session.ValueFlow,
		session.ReadThenSend,
		session.CrossServerFlow,
		session.RateLimit,
		policy.VersionPin,
		policy.PolicyDenied,
		// Messages of a session.
		session.SecretLeak,
		requests.SmpSamplingAbuse,
		requests.ElcSensitiveForm,
		requests.ElcURLRisk,
		requests.UiAppBroadCSP,
		session.ResponseFlood,
		requests.UrlDangerousScheme,
		requests.UrlSSRFTarget,
		// Client configurations, and what they start.
		configuration.UnpinnedPackage,
		configuration.InlineInterpreter,
		configuration.ShellMetachar,
		configuration.SecretLiteral,
		configuration.InsecureTransport,
		configuration.PrivilegedRuntime,
		configuration.AutoApprove,
		configuration.EnvHijack,
		configuration.BaseURLOverride,
		configuration.HookExec,
		configuration.ScopeShadow,
		configuration.EnvDenied,
		configuration.WeakProxy,
		configuration.SettingsWeakened,
		supplychain.KnownVulnerable,
		supplychain.KnownMalicious,
		supplychain.Typosquat,
		supplychain.NoIntegrity,
		// The protocol.
		protocol.JSONKeyConfusion,
		protocol.MistypedField,
		protocol.AmbiguousMessage,
		protocol.DuplicateDefinition,
		protocol.UnsolicitedRequest,
		protocol.ResponseMismatch,
		protocol.EmptyCursor,
		protocol.Downgrade,
		protocol.RequestStatePlain,
		protocol.HeaderBodyMismatch,
		protocol.WeakSessionID,
		protocol.CachePublicAuth,
		protocol.Batch,
		protocol.StdoutNoise,
		// What other engines reported.
		policy.Reported,
	}
}
