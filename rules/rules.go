// Package rules contains the table of rules. Each family of rules is a package with one rule per
// file.
//
// A rule is a value that contains its own documentation and pure functions. It must never keep
// state between events, do I/O or read a clock. Families do not import each other; their shared
// code is in packages under internal.
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

// All returns every rule, in documentation order. To add a rule, create one file in its family and
// add one line here.
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
		instructions.CodeInsertion,
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
		// Mentions of what an attack would need.
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
		// What tools declare and can do.
		declaration.ReadonlyContradiction,
		declaration.OpenworldContradiction,
		declaration.CapExec,
		declaration.CapOverbroad,
		// Between servers, and over time.
		instructions.ToolReference,
		instructions.Learned, // uses the findings of the rules above, so it comes after them
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
		// Messages in a session.
		session.SecretLeak,
		requests.SmpSamplingAbuse,
		requests.ElcSensitiveForm,
		requests.ElcURLRisk,
		requests.UiAppBroadCSP,
		session.ResponseFlood,
		requests.UrlDangerousScheme,
		requests.UrlSSRFTarget,
		// Client configurations and what they start.
		configuration.UnpinnedPackage,
		configuration.InlineInterpreter,
		configuration.ShellMetachar,
		configuration.SecretLiteral,
		configuration.InsecureTransport,
		configuration.ExposedListener,
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
		// Reports of other engines.
		policy.Reported,
	}
}
