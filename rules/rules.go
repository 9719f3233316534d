// Package rules holds what mcpscan checks: one rule a file, and All as the
// table of contents.
//
// A rule is a value that explains itself and a pure function. It must never
// hold state between events, do I/O or read a clock, and the package must never
// import replay or report.
package rules

import "github.com/mcpscan/mcpscan/scanner"

// All returns every rule, in the order of the documentation. Adding a rule is
// one file and one line here.
func All() []scanner.Rule {
	return []scanner.Rule{
		// Instructions to the model.
		injOverride,
		injObeyOutput,
		injTaskDiversion,
		injImpersonateAuthority,
		injRoleTags,
		injPersona,
		injApprovalBypass,
		injOutputControl,
		injAnswerForm,
		injOutOfPlace,
		injToolCall,
		injAgentOrder,
		injCodeInsertion,
		injDelayedTrigger,
		injDangerousCommand,
		injConceal,
		injSecretFileRead,
		injCredentialUpload,
		injExfilSink,
		injErrorEscalation,
		injDownloadExec,
		injAgentConfigWrite,
		injMemoryWrite,
		injMarkdownExfil,
		injForcedPreference,
		injPrecallOrder,
		injOtherLanguage,
		// Mentions: what an attack would need, said without being asked for.
		menDirective,
		menCredential,
		menExfilCommand,
		menShellSyntax,
		menPathTraversal,
		// Hidden text.
		hidUnicodeTags,
		hidBidi,
		hidAnsiControl,
		hidZeroWidth,
		hidVariationSelectors,
		hidHomoglyph,
		hidMarkupComment,
		hidUIModelSplit,
		hidWhitespacePush,
		// Schemas.
		schSuspiciousParam,
		schSecretParam,
		schDangerDefault,
		schRemoteRef,
		schResourceBomb,
		schHeaderParamInvalid,
		schHeaderParamSensitive,
		schOutputMismatch,
		// What tools say that they are, and what they can do.
		annReadonlyContradiction,
		annOpenworldContradiction,
		capExec,
		capOverbroad,
		// Between servers, and over time.
		xsToolReference,
		shadowTool,
		xsNameLookalike,
		xsServerLookalike,
		xsPrefixConfusion,
		xsImpersonation,
		xsToxicFlow,
		driftInSession,
		driftCloaking,
		// Against what was approved.
		driftDescription,
		driftInstructions,
		driftSchemaBreaking,
		driftSchemaCompatible,
		driftAnnotationEscalation,
		driftMetaEscalation,
		driftOtherMember,
		driftNewTool,
		driftRemovedTool,
		driftIdentity,
		binaryMismatch,
		lockMissing,
		lockTampered,
		lockPending,
		// In a session.
		sesUnlistedTool,
		burst,
		readThenSend,
		crossServerFlow,
		rateLimit,
		versionPin,
		policyDenied,
		// What is said in a session.
		resSecretLeak,
		smpSamplingAbuse,
		elcSensitiveForm,
		elcURLRisk,
		uiAppBroadCSP,
		resFlood,
		urlDangerousScheme,
		urlSSRFTarget,
		// Configurations of clients, and what they start.
		cfgUnpinnedPackage,
		cfgInlineInterpreter,
		cfgShellMetachar,
		cfgSecretLiteral,
		cfgInsecureTransport,
		cfgPrivilegedRuntime,
		cfgAutoApprove,
		cfgEnvHijack,
		cfgBaseURLOverride,
		cfgHookExec,
		cfgScopeShadow,
		cfgEnvDenied,
		supKnownVulnerable,
		supKnownMalicious,
		supTyposquat,
		supNoIntegrity,
		// The protocol.
		prtJSONKeyConfusion,
		prtMistypedField,
		prtAmbiguousMessage,
		prtDuplicateDefinition,
		prtUnsolicitedRequest,
		prtResponseMismatch,
		prtBatch,
		prtStdoutNoise,
		// What other engines reported.
		audReported,
	}
}
