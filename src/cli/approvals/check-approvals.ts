import type { AuditedApproval } from "../../model/audit.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { uncountedReason } from "../../report/document/plan.ts";
import type { ApprovalReport } from "../../report/outcome.ts";
import { formatCount, formatList, truncateList } from "../../report/phrases.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import type { Settings } from "../settings/settings.ts";
import type { ApprovalRules } from "./count-approvals.ts";
import { examineSignatures, type SignedFile } from "./examine-signatures.ts";

/** What the signatures of a plan file come to. */
export interface ApprovalCheck {
  /** Why the file is not applied; absent where it may be. */
  readonly refused?: CommandError;
  /** For the audit trail. */
  readonly approvals: readonly AuditedApproval[];
  /** Nobody had to approve a plan without actions: what its file says is not recorded. */
  readonly isUnsigned?: true;
  /** Absent where the plan needs no approvals. */
  readonly report?: ApprovalReport;
}

/** Whether a plan file has the approvals that the settings ask for, or why that cannot be known. Nothing was sent. */
export async function checkApprovals(
  file: SignedFile,
  { approvals: rules }: Pick<Settings, "approvals">,
  host: Host,
): Promise<Result<ApprovalCheck, CommandError>> {
  if (rules === undefined) return file.signatures === undefined ? success({ approvals: [] }) : problem(unusedSignature);
  const examined = await examineSignatures(file, rules, host);
  if (file.plan.actions.length === 0)
    return success(isApproved(examined, file.path) ? { approvals: [] } : { approvals: [], isUnsigned: true });
  if (!examined.ok) return examined;
  const report = examined.value;
  const refused = badSignature(report) ?? missingApprovals(file.path, report);
  if (refused !== undefined) return success({ approvals: [], report, refused });
  const approvals = report.signatures.flatMap((one) =>
    one.is === "counted" ? [{ signer: one.signer, key: one.key }] : [],
  );
  return success({ approvals, report });
}

function isApproved(examined: Result<ApprovalReport, CommandError>, path: string): boolean {
  return examined.ok && (badSignature(examined.value) ?? missingApprovals(path, examined.value)) === undefined;
}

/** Adds to a result with a plan file who has signed it, and how many must. What keeps that from being known is a warning. */
export async function reportApprovals(
  result: CommandResult,
  file: Pick<SignedFile, "text" | "privilegedRoles">,
  { rules, host }: { readonly rules: ApprovalRules; readonly host: Host },
): Promise<CommandResult> {
  const { plan, planFile } = result;
  // Nobody knows where the signatures of standard input are.
  if (plan === undefined || plan.actions.length === 0 || planFile === undefined || planFile.path === "-") return result;
  const examined = await examineSignatures({ ...file, path: planFile.path, plan }, rules, host);
  if (examined.ok) return { ...result, planFile: { ...planFile, approvals: examined.value } };
  const warnings = (examined.error.diagnostics ?? []).map((one) => ({ ...one, severity: "warning" }) as const);
  return { ...result, diagnostics: [...result.diagnostics, ...warnings] };
}

const unusedSignature = invalidSetting(
  "unused-signature",
  "--signature is used, but the settings have no `approvals`.",
  "Remove --signature, or set `signers` and `approvals`. See `roster config`.",
);

/** What is no signature of this file may hide one that was exchanged: it is never passed over. */
function badSignature({ signatures }: ApprovalReport): CommandError | undefined {
  const bad = signatures.find((one) => one.is === "bad");
  if (bad === undefined) return undefined;
  return invalidSetting(
    "bad-signature",
    `The signature ${bad.file} cannot be used: ${bad.why}.`,
    "If the plan was made again, remove the file, and let the person sign the new plan.",
  );
}

/** People in a message. */
const maxNamed = 5;

function missingApprovals(path: string, report: ApprovalReport): CommandError | undefined {
  const { needed, privileged, signatures, open } = report;
  const counted = signatures.flatMap((one) => (one.is === "counted" ? [one.signer] : []));
  if (counted.length >= needed) return undefined;
  const why = privileged ? ", because it changes privileged roles" : "";
  const has = counted.length === 0 ? "it has none" : `it has ${counted.length}: ${formatList(counted)}`;
  const others = signatures.flatMap((one) => {
    const reason = uncountedReason(one);
    return reason === undefined ? [] : [`${one.file} does not count: ${reason}`];
  });
  const message = [`${path} needs ${formatCount(needed, "approval")}${why}, and ${has}`, ...others].join(". ");
  const sign = `Read the plan with \`roster show ${path}\`, sign it with \`roster plan sign ${path}\`, and apply it again`;
  const hint =
    open.length === 0
      ? "No other signer may approve it. Add one to `signers`"
      : `${sign}. These people can sign: ${truncateList(open, maxNamed)}`;
  return { reason: "refused", problem: { code: "approvals-missing", message, hint } };
}

/** A command that would change the service without a plan file. */
type UnsignedCommand = "apply" | "drift --repair" | "resend-invitation";

/** Why a command that plans for itself is refused where plans need approvals: what nobody has read, nobody can have signed. */
export function refuseUnsigned(
  command: UnsignedCommand,
  { approvals }: Pick<Settings, "approvals">,
): CommandError | undefined {
  if (approvals === undefined) return undefined;
  const message = `the settings have \`approvals\`, so \`roster ${command}\` cannot change the service${unsignedNeeds[command]}`;
  return { reason: "refused", problem: { code: "plan-not-signed", message, hint: unsignedHints[command] } };
}

const signFirst =
  "save it with `roster plan --out plan.json`, sign it with `roster plan sign plan.json`, and run `roster apply plan.json`";

const unsignedNeeds: Readonly<Record<UnsignedCommand, string>> = {
  apply: " without a signed plan file",
  "drift --repair": ": a repair has no plan file to sign",
  "resend-invitation": ": an invitation has no plan file to sign",
};

const unsignedHints: Readonly<Record<UnsignedCommand, string>> = {
  apply: signFirst,
  "drift --repair": `the next plan contains the repair; ${signFirst}`,
  "resend-invitation": "send the invitation in the service itself",
};
