import { realpath } from "node:fs/promises";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import type { Action } from "../../model/action.ts";
import type { AuditedApproval } from "../../model/audit.ts";
import type { Plan } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { accessInPlanOrder } from "../../report/access/access-changes.ts";
import { isPrivilegedChange } from "../../report/access/person-access.ts";
import { uncountedSignatures } from "../../report/document/plan.ts";
import type { ApprovalReport, SignatureReport } from "../../report/outcome.ts";
import { formatCount, formatList, truncateList } from "../../report/phrases.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { authorInPipeline } from "../run-context.ts";
import type { Settings } from "../settings/settings.ts";
import { repositoryRoot } from "../trust/checkout.ts";
import { findProgram, gitEnvironment, lastLine, type ProgramResult, runProgram } from "../trust/programs.ts";
import {
  type ApprovalRules,
  type Author,
  countApprovals,
  groupByPerson,
  isSamePerson,
  readAuthor,
  type Signer,
  signerName,
} from "./approval-rules.ts";
import { findSignatures, openSshKeygen, readSignatureFile } from "./ssh-signature.ts";

/** What the signatures of a plan file come to. */
export interface ApprovalCheck {
  /** Why the file is not applied; absent where it may be. */
  readonly refused?: RosterError;
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
): Promise<Result<ApprovalCheck, RosterError>> {
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

function isApproved(examined: Result<ApprovalReport, RosterError>, path: string): boolean {
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
function badSignature({ signatures }: ApprovalReport): RosterError | undefined {
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

function missingApprovals(path: string, report: ApprovalReport): RosterError | undefined {
  const { needed, privileged, signatures, open } = report;
  const counted = signatures.flatMap((one) => (one.is === "counted" ? [one.signer] : []));
  if (counted.length >= needed) return undefined;
  const why = privileged ? ", because it changes privileged roles" : "";
  const has = counted.length === 0 ? "it has none" : `it has ${counted.length}: ${formatList(counted)}`;
  const needs = `${path} needs ${formatCount(needed, "approval")}${why}, and ${has}`;
  const message = [needs, ...uncountedSignatures(signatures)].join(". ");
  const sign = `Read the plan with \`roster show ${path}\`, sign it with \`roster plan sign ${path}\`, and apply it again`;
  const hint =
    open.length === 0
      ? "No other signer may approve it. Add one to `signers`"
      : `${sign}. These people can sign: ${truncateList(open, maxNamed)}`;
  return stopError("refused", "approvals-missing", message, hint);
}

/** A command that would change the service without a plan file. */
type UnsignedCommand = "apply" | "drift --repair" | "resend-invitation";

/** Why a command that plans for itself is refused where plans need approvals: what nobody has read, nobody can have signed. */
export function refuseUnsigned(
  command: UnsignedCommand,
  { approvals }: Pick<Settings, "approvals">,
): RosterError | undefined {
  if (approvals === undefined) return undefined;
  const message = `the settings have \`approvals\`, so \`roster ${command}\` cannot change the service${unsignedNeeds[command]}`;
  return stopError("refused", "plan-not-signed", message, unsignedHints[command]);
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

/** A plan file that people may have signed. */
export interface SignedFile {
  readonly path: string;
  /** The very text of the file, in which each byte is a character. */
  readonly text: string;
  readonly plan: Plan;
  readonly privilegedRoles: RoleSet;
  /** The signatures that a person names; else those beside the file count. */
  readonly signatures?: readonly string[] | undefined;
}

/** Says what each signature of a plan file counts for, and how many the plan needs. */
async function examineSignatures(
  file: SignedFile,
  rules: ApprovalRules,
  host: Host,
): Promise<Result<ApprovalReport, RosterError>> {
  const paths = file.signatures === undefined ? await findSignatures(file.path, host) : success(file.signatures);
  if (!paths.ok) return paths;
  const verified = await verifySignatures(paths.value, { text: file.text, rules, host });
  if (!verified.ok) return verified;
  const authors = await commitAuthors(host);
  if (!authors.ok) return authors;
  const signed = verified.value.flatMap((one) => (one.is === "valid" ? [one.signer] : []));
  const standings = countApprovals(signed, rules, authors.value);
  const counted = signed.filter((_, at) => standings[at] === "counted");
  const canSign = groupByPerson(rules.signers).filter(
    (keys) => !keys.some((key) => counted.includes(key) || authors.value.some((author) => isSamePerson(author, key))),
  );
  const privileged = changesPrivileges(file);
  const remaining = standings.values();
  return success({
    needed: privileged ? rules.needed.privileged : rules.needed.default,
    privileged,
    signatures: verified.value.map((one): SignatureReport => {
      if (one.is !== "valid") return one;
      const key = one.signer.key.fingerprint;
      return { is: remaining.next().value ?? "counted", file: one.file, signer: signerName(one.signer), key };
    }),
    open: canSign.flatMap(([key]) => (key === undefined ? [] : [signerName(key)])),
  });
}

/** What a plan file says of the roles before is no proof: a call that sets a privileged role counts, whatever the key should have had. */
function changesPrivileges({ plan, privilegedRoles }: SignedFile): boolean {
  if (plan.actions.some((action) => rolesSet(action).some((role) => privilegedRoles.includes(role)))) return true;
  return accessInPlanOrder(plan).some(({ changes }) => changes.some((one) => isPrivilegedChange(one, privilegedRoles)));
}

function rolesSet(action: Action): RoleSet {
  switch (action.kind) {
    case "create-user":
      return action.founds?.accessKeyRoles ?? [];
    case "add-members":
      return [];
    case "replace-roles":
      return action.roles;
  }
}

type VerifiedSignature =
  | { readonly is: "valid"; readonly file: string; readonly signer: Signer }
  | (SignatureReport & { readonly is: "unknown-key" | "bad" });

interface Verification {
  readonly text: string;
  readonly rules: ApprovalRules;
  readonly host: Host;
}

async function verifySignatures(
  files: readonly string[],
  verification: Verification,
): Promise<Result<readonly VerifiedSignature[], RosterError>> {
  const verified: VerifiedSignature[] = [];
  for (const file of files) {
    const one = await verifySignature(file, verification);
    if (!one.ok) return one;
    verified.push(one.value);
  }
  return success(verified);
}

/** ssh-keygen is needed only where the key is known. */
async function verifySignature(
  file: string,
  { text, rules, host }: Verification,
): Promise<Result<VerifiedSignature, RosterError>> {
  const read = await readSignatureFile(file, host);
  if (!read.ok) return success({ is: "bad", file, why: read.error });
  const { key } = read.value;
  const signer = rules.signers.find((one) => one.key.blob === key.blob);
  if (signer === undefined) return success({ is: "unknown-key", file, key: key.fingerprint });
  const ssh = await openSshKeygen(host);
  if (!ssh.ok) return ssh;
  const valid = await ssh.value.verify(read.value, text);
  if (valid.ok) return success({ is: "valid", file, signer });
  return success({ is: "bad", file, why: `it does not fit this plan file (${valid.error})` });
}

/**
 * Who wrote the change: the author that the pipeline names, the authors of the commit that is checked out, and those of all
 * that it merges. Nobody where there is no commit. @internal
 */
export async function commitAuthors(host: Host): Promise<Result<readonly Author[], RosterError>> {
  const named = authorInPipeline(host.env);
  const found = await authorsInGit(host);
  return found.ok ? success([...(named === undefined ? [] : [named]), ...found.value]) : found;
}

async function authorsInGit(host: Host): Promise<Result<readonly Author[], RosterError>> {
  const found = repositoryRoot(host.cwd);
  if (found === undefined) return success([]);
  const root = await realpath(found);
  const program = await findProgram("git", host, root);
  if (program === undefined) return problem(unknownAuthor("the program git is not installed", "Install git."));
  const git = (...args: readonly string[]) => runGit(program, args, root, host);
  const head = await git("cat-file", "commit", "HEAD");
  if (head.code !== 0) return withoutCommit(head, root);
  const [headers = "", ...message] = head.stdout.split("\n\n");
  const written = /^author (.*) \d+ [+-]\d{4}$/mu.exec(headers)?.[1];
  if (written === undefined)
    return problem(
      unknownAuthor("the commit has a damaged author line", "Run `git fsck`, and `git cat-file commit HEAD`."),
    );
  const authors = [written, ...coAuthors(message.join("\n\n"))].map(readAuthor);
  if ((headers.match(/^parent /gmu) ?? []).length < 2) return success(authors);
  const merged = await git("log", "--no-show-signature", `--format=%an <%ae>%n${coAuthorTrailers}`, "HEAD^1..HEAD");
  return merged.code === 0
    ? success([
        ...authors,
        ...merged.stdout
          .split("\n")
          .filter((line) => line !== "")
          .map(readAuthor),
      ])
    : problem(
        unknownAuthor(
          "the commits that it merges cannot be listed",
          "Fetch the whole history: `git fetch --unshallow`.",
        ),
      );
}

/** A squashed commit names the others who wrote it in its message. */
function coAuthors(message: string): readonly string[] {
  return [...message.matchAll(/^co-authored-by:[ \t]*(.+?)\s*$/gimu)].map(([, name = ""]) => name);
}

const coAuthorTrailers = "%(trailers:key=Co-authored-by,valueonly,unfold)";

/** Milliseconds. */
const patience = 30_000;

function runGit(program: string, args: readonly string[], cwd: string, { env }: Host): Promise<ProgramResult> {
  const usual = ["--no-pager", "-c", "core.fsmonitor=false"];
  // A replaced commit would say that somebody else wrote it.
  const clean = { ...gitEnvironment(env), GIT_NO_REPLACE_OBJECTS: "1" };
  return runProgram(program, { args: [...usual, ...args], cwd, env: clean, patience });
}

/** A repository may have no commit yet. */
function withoutCommit(ended: ProgramResult, root: string): Result<readonly Author[], RosterError> {
  if (/not a valid object name|not a git repository/iu.test(ended.stderr)) return success([]);
  const isForeign = /safe\.directory/iu.test(ended.stderr);
  const hint = isForeign
    ? `If its owner is trusted, run \`git config --global --add safe.directory ${root}\`.`
    : "Run `git log` there.";
  const why = isForeign ? "git refuses to read the repository, which belongs to another user" : lastLine(ended);
  return problem(unknownAuthor(why, hint));
}

function unknownAuthor(why: string, hint: string): RosterError {
  return invalidSetting("unknown-author", `The author of the commit is unknown: ${why}.`, hint);
}
