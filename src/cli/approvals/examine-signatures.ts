import type { Action } from "../../model/action.ts";
import type { Plan } from "../../model/plan.ts";
import { type Result, success } from "../../model/result.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { accessInPlanOrder } from "../../report/access/access-changes.ts";
import { isPrivilegedChange } from "../../report/access/person-access.ts";
import type { ApprovalReport, SignatureReport } from "../../report/outcome.ts";
import type { CommandError } from "../command-error.ts";
import type { Host } from "../host.ts";
import { commitAuthors } from "./commit-authors.ts";
import {
  type ApprovalRules,
  countApprovals,
  groupByPerson,
  isSamePerson,
  type Signer,
  signerName,
} from "./count-approvals.ts";
import { findSignatures, readSignatureFile } from "./signature-files.ts";
import { openSshKeygen } from "./ssh-keygen.ts";

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
export async function examineSignatures(
  file: SignedFile,
  rules: ApprovalRules,
  host: Host,
): Promise<Result<ApprovalReport, CommandError>> {
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
): Promise<Result<readonly VerifiedSignature[], CommandError>> {
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
): Promise<Result<VerifiedSignature, CommandError>> {
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
