import type { Reason } from "./fact.ts";
import type { HoldName } from "./policy.ts";
import type { RoleSet } from "./role-set.ts";
import type { Basis, Ownership } from "./subject.ts";
import { formatSubject, type Subject } from "./subject.ts";

/** What a person has to know or do, because no call of the interface can. */
export interface Finding {
  readonly class: FindingClass;
  /** Blocking: the roster does not get what it asks for, or somebody holds access that it denies. */
  readonly blocking: boolean;
  readonly code: FindingCode;
  /** Stable across runs for the same matter: a digest of the code and of what it is about. */
  readonly fingerprint: string;
  /** Unique for its code: both together are the finding's sameness across runs. */
  readonly subject: Subject;
  /** Roles that it names, where its subject names none. */
  readonly roles?: RoleSet;
  /** What, why and what a person can do. */
  readonly message: string;
  readonly because: readonly Reason[];
  readonly restsOn: readonly Basis[];
  /** YAML to paste, where that is a way out. */
  readonly suggestedYaml?: string;
  /** Where a person can allow it: the values of `--allow` for this plan, as in `near-duplicate@3f2a90c1d4e5b678`. */
  readonly allow?: readonly string[];
  /** Whose it is, as the roster says. */
  readonly ownership?: Ownership;
}

/** In the order in which a report tells them. */
export const findingClasses = ["blocked", "uncorrectable", "unknown", "pending", "unmanaged", "information"] as const;

export type FindingClass = (typeof findingClasses)[number];

export type FindingCode =
  // the service as a whole
  | "service-reset"
  // accounts
  | "unknown-account"
  | "inactive-account"
  // people
  | "unproven-user"
  | "ambiguous-user"
  | "unsafe-address"
  | "non-ascii-address"
  | "deleted-user"
  | "user-disabled"
  | "invitation-pending"
  | "invitation-expired"
  | "former-address"
  | "user-missing"
  | "user-in-other-account"
  | "user-adopted"
  | "profile-differs"
  | "profile-normalized"
  | "unmanaged-user"
  | "unmanaged-privilege"
  | "user-list-incomplete"
  // leavers, those who start later, and those whom nobody names any more
  | "leaver-remains"
  | "leaver-disabled"
  | "leaver-unproven"
  | "starts-later"
  | "leaving-soon"
  | "access-ends-soon"
  | "user-removed"
  // teams
  | "unproven-team"
  | "incomplete-list"
  | "ambiguous-team"
  | "former-team-name"
  | "team-renamed"
  | "team-without-founder"
  | "team-without-admin"
  | "team-identifier-unknown"
  // memberships
  | "extra-member"
  | "extra-member-without-roles"
  | "member-removed"
  | "unknown-membership"
  // keys and roles
  | "unknown-role"
  | "role-kind-mismatch"
  | "ambiguous-key"
  | "unknown-key"
  | "key-prefix-unknown"
  | "own-key-unknown"
  | "key-owner-differs"
  | "conflicting-roles"
  | "roles-kept-by-service"
  | "key-without-roles"
  | "temporary-privilege"
  | "unmanaged-key"
  | "unmanaged-key-privilege"
  | "unmanaged-key-changed"
  | "privileges-unknown"
  // guards that hold
  | HoldName
  | "idle-allowance"
  // the run itself
  | "write-pending"
  | "unknown-outcome"
  | "refused"
  | "not-selected"
  | "facts-from-state"
  | "unread-fields"
  // a plan that was made of a kept snapshot
  | "from-snapshot";

/** What a finding says, before its class and its fingerprint follow from its code and subject. */
export interface FindingInput
  extends Pick<
    Finding,
    "code" | "subject" | "roles" | "message" | "because" | "restsOn" | "suggestedYaml" | "allow" | "ownership"
  > {
  /** Where somebody holds access that the roster denies: then it blocks, although its code alone would not. */
  readonly deniedAccess?: true;
  /** Where something that the roster asks for waits for it: then it blocks, although its code alone would not. */
  readonly waits?: true;
}

interface FindingSeverity {
  readonly class: FindingClass;
  readonly blocking: boolean;
}

const blocked: FindingSeverity = { class: "blocked", blocking: true };
const uncorrectable: FindingSeverity = { class: "uncorrectable", blocking: true };
const unclear: FindingSeverity = { class: "unknown", blocking: true };
const information: FindingSeverity = { class: "information", blocking: false };

const findingSeverity: Readonly<Record<FindingCode, FindingSeverity>> = {
  "service-reset": unclear,
  "unknown-account": blocked,
  "inactive-account": blocked,
  "unproven-user": unclear,
  "ambiguous-user": blocked,
  "unsafe-address": blocked,
  "non-ascii-address": information,
  "deleted-user": blocked,
  "user-disabled": uncorrectable,
  "invitation-pending": { class: "pending", blocking: false },
  "invitation-expired": { class: "pending", blocking: true },
  "former-address": blocked,
  "user-missing": blocked,
  "user-in-other-account": uncorrectable,
  "user-adopted": information,
  "profile-differs": uncorrectable,
  "profile-normalized": information,
  "unmanaged-user": { class: "unmanaged", blocking: false },
  "unmanaged-privilege": { class: "unmanaged", blocking: true },
  "user-list-incomplete": unclear,
  "leaver-remains": uncorrectable,
  "leaver-disabled": information,
  "leaver-unproven": unclear,
  "starts-later": information,
  "leaving-soon": information,
  "access-ends-soon": information,
  "user-removed": blocked,
  "unproven-team": unclear,
  "incomplete-list": unclear,
  "ambiguous-team": blocked,
  "former-team-name": information,
  "team-renamed": information,
  "team-without-founder": blocked,
  "team-without-admin": blocked,
  "team-identifier-unknown": unclear,
  "extra-member": uncorrectable,
  "extra-member-without-roles": information,
  "member-removed": blocked,
  "unknown-membership": unclear,
  "unknown-role": blocked,
  "role-kind-mismatch": blocked,
  "ambiguous-key": unclear,
  "unknown-key": blocked,
  "key-prefix-unknown": unclear,
  "own-key-unknown": unclear,
  "key-owner-differs": uncorrectable,
  "conflicting-roles": blocked,
  "roles-kept-by-service": information,
  "key-without-roles": information,
  "temporary-privilege": information,
  "unmanaged-key": { class: "unmanaged", blocking: false },
  "unmanaged-key-privilege": { class: "unmanaged", blocking: true },
  "unmanaged-key-changed": { class: "unmanaged", blocking: false },
  "privileges-unknown": { class: "unknown", blocking: false },
  "allowed-email-domains": blocked,
  "near-duplicate": blocked,
  "privileged-roles": blocked,
  "own-key": blocked,
  protected: blocked,
  "renamed-team": blocked,
  "idle-allowance": information,
  "write-pending": { class: "pending", blocking: false },
  "unknown-outcome": unclear,
  refused: blocked,
  "not-selected": information,
  "facts-from-state": information,
  "unread-fields": information,
  "from-snapshot": information,
};

/** The same code and subject make the same fingerprint in every run. */
export function createFinding(input: FindingInput, digest: (text: string) => string): Finding {
  const { deniedAccess, waits, suggestedYaml, roles = [], ...rest } = input;
  const own = findingSeverity[input.code];
  const nature = deniedAccess === true ? uncorrectable : waits === true ? { ...own, blocking: true } : own;
  const fingerprint = findingFingerprint(input, digest);
  return {
    ...nature,
    fingerprint,
    ...rest,
    ...(roles.length === 0 ? {} : { roles }),
    ...(suggestedYaml === undefined ? {} : { suggestedYaml }),
  };
}

export function findingFingerprint(
  { code, subject }: Pick<Finding, "code" | "subject">,
  digest: (text: string) => string,
): string {
  return digest(JSON.stringify([code, formatSubject(subject)])).slice(0, 16);
}

/** Whether a finding of this code blocks; one that denies access does in any case. */
export function isBlockingCode(code: FindingCode): boolean {
  return findingSeverity[code].blocking;
}

export const findingCodes: readonly FindingCode[] = Object.keys(findingSeverity).filter(isFindingCode);

function isFindingCode(code: string): code is FindingCode {
  return Object.hasOwn(findingSeverity, code);
}

/** Notices that ask for manual action all the same, or that block in some cases. */
const manualNotices: readonly FindingCode[] = ["extra-member-without-roles", "roles-kept-by-service"];

/** Whether a finding of this code is something that people have to do, and that stays until they have. */
export function needsAction(code: string): code is FindingCode {
  return isFindingCode(code) && (isBlockingCode(code) || manualNotices.includes(code));
}
