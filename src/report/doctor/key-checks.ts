import { type Failure, isRefusedAccess, type Result } from "../../model/result.ts";
import { formatRoles, type RoleSet } from "../../model/role-set.ts";
import { formatList } from "../phrases.ts";
import {
  type CallPermission,
  type DoctorCheck,
  type DoctorObservations,
  describeFailure,
  type Purpose,
  suggestFix,
} from "./observations.ts";

export function checkKey(seen: DoctorObservations): readonly DoctorCheck[] {
  const { roles, key } = seen;
  const asked = `if the service accepts the key of ${key.from}`;
  if (roles.ok) {
    const means = "The key can read. `doctor` changes nothing, so it cannot check if the key can also write.";
    return [{ check: "key", mark: "ok", asked, came: "yes", means }, ...checkKeyOwner(seen)];
  }
  if (!isRefusedAccess(roles.error)) return [];
  const means = suggestFix(roles.error);
  return [
    { check: "key", mark: "problem", asked, came: describeFailure(roles.error), means },
    ...(roles.error.code === "forbidden" ? checkKeyOwner(seen) : []),
  ];
}

function checkKeyOwner({ key }: DoctorObservations): readonly DoctorCheck[] {
  const { prefix, shown } = key;
  const asked =
    prefix === undefined ? "the owner and the roles of the key" : `the owner and the roles of the key ${prefix}`;
  const check = { check: "key-owner", mark: "ok", asked } as const;
  if (prefix === undefined) {
    const means = "roster cannot find the key among the keys of users. Check its roles in the service.";
    return [{ ...check, came: "unknown: the key has no prefix before a dot", means }];
  }
  if (shown === undefined) {
    const means = "No answer shows this key. Check its roles in the service.";
    return [{ ...check, came: "not shown", means }];
  }
  const { email, roles } = shown;
  if (roles === undefined) {
    const means = "The service does not show the roles of keys. Check them in the service.";
    return [{ ...check, came: `${email}, roles not shown`, means }];
  }
  const admin = adminRoles(key);
  const means =
    admin.length === 0
      ? "It has no administrator role. The service may refuse changes."
      : "This is the key of an administrator: it can change users, teams and keys.";
  return [{ ...check, came: `${email}, ${formatRoles(roles)}`, means }];
}

/** Those of the key's shown roles that make an administrator. */
function adminRoles({ shown, privilegedRoles }: DoctorObservations["key"]): RoleSet {
  return shown?.roles?.filter((role) => privilegedRoles.includes(role)) ?? [];
}

/** Whether the key can do more, or less, than it is there for. */
export function checkKeyPurpose(seen: DoctorObservations): readonly DoctorCheck[] {
  const { purpose, key } = seen;
  if (purpose === undefined || seen.list === undefined) return [];
  const check = { check: "key-purpose", asked: `if the key fits \`roster ${purpose}\`` } as const;
  const admin = adminRoles(key);
  const refused = permissionsOf(seen).filter(({ needed, allowed }) => needed && allowed === "no");
  if (refused.length > 0) {
    const came = `no: the service refuses to ${formatList(refused.map(({ call }) => call))}`;
    const means = `${purpose} needs these calls. Use the key of an administrator, or another key that can read.`;
    return [{ ...check, mark: "problem", came, means }];
  }
  if (key.shown?.roles === undefined) {
    const means = writes(purpose)
      ? "apply needs the key of an administrator. No answer shows the roles of this key."
      : `${purpose} only reads. Check in the service that this key has no administrator role.`;
    return [{ ...check, mark: "ok", came: "unknown", means }];
  }
  if (writes(purpose)) {
    return admin.length > 0
      ? [{ ...check, mark: "ok", came: "yes", means: `apply makes changes, and the key has ${formatRoles(admin)}.` }]
      : [{ ...check, mark: "notice", came: "probably not", means: tooLittle(key.shown.roles) }];
  }
  if (admin.length === 0) {
    return [
      { ...check, mark: "ok", came: "yes", means: `${purpose} only reads, and the key has no administrator role.` },
    ];
  }
  const means =
    `${purpose} only reads and does not need ${formatRoles(admin)}. Use a key without it, if the service lets that key read. ` +
    "If it does not, plan from a snapshot: `roster plan --from FILE`, see docs/keys.md.";
  return [{ ...check, mark: "notice", came: "it can do more than that", means }];
}

function tooLittle(roles: RoleSet): string {
  return (
    `apply makes changes. The key has ${formatRoles(roles)}, which is no administrator role that roster knows. ` +
    "Use the key of an administrator, or add the role's name to `guards.privileged-roles` in the settings."
  );
}

function writes(purpose: Purpose): boolean {
  return purpose === "apply";
}

/** Who opens a pull request decides what runs in its job, and so what becomes of the key in it. */
export function checkKeyInPullRequest({ key, pullRequest, list }: DoctorObservations): readonly DoctorCheck[] {
  if (pullRequest === undefined || list === undefined) return [];
  const check = { check: "key-in-pull-request", asked: "if a pull request gets the key of an administrator" } as const;
  const instead =
    "Plan from a snapshot file: `roster plan --from FILE`, see docs/ci/forks.md. Or use a key that can only read.";
  if (key.shown?.roles === undefined) {
    const means = `This job belongs to a pull request. Check in the service that this key has no administrator role. If it has one: ${instead}`;
    return [{ ...check, mark: "notice", came: `unknown (${pullRequest})`, means }];
  }
  const admin = adminRoles(key);
  if (admin.length === 0) {
    const means = "This job belongs to a pull request, and its key has no administrator role.";
    return [{ ...check, mark: "ok", came: `no (${pullRequest})`, means }];
  }
  const means = `A pull request can change what this job runs, and so use the key to change the service. ${instead}`;
  return [{ ...check, mark: "notice", came: `yes: ${formatRoles(admin)} (${pullRequest})`, means }];
}

/** What a purpose needs of a key, and what this key may do as far as the answers show. Nothing is tried that writes. */
export function permissionsOf(seen: DoctorObservations): readonly CallPermission[] {
  const { purpose, roles, details, list, search, key } = seen;
  if (purpose === undefined) return [];
  const [account] = details;
  const write = writePermission(key);
  const change = { needed: writes(purpose), ...write };
  return [
    { call: "list roles", request: "GET /api/accounting/roles", needed: true, ...readPermission(roles) },
    {
      call: "read an account",
      request: "GET /api/accounting/accounts/ACCOUNT",
      needed: true,
      ...readPermission(account?.reading),
    },
    { call: "list users", request: "GET /api/accounting/users", needed: true, ...readPermission(list) },
    {
      call: "search users",
      request: "POST /api/accounting/users/search",
      needed: true,
      ...readPermission(search?.reading),
    },
    { call: "create a user", request: "POST /api/accounting/accounts/ACCOUNT/users", ...change },
    { call: "add members", request: "POST /api/accounting/teams/TEAM/members", ...change },
    { call: "replace the roles of a key", request: "PUT /api/accounting/access-keys/PREFIX/roles", ...change },
  ];
}

type Permission = Pick<CallPermission, "allowed" | "why">;

function readPermission(reading: Result<unknown, Failure> | undefined): Permission {
  if (reading === undefined) return { allowed: "unknown", why: "not tried" };
  if (reading.ok) return { allowed: "yes", why: "the service answered" };
  const { status } = reading.error;
  if (isRefusedAccess(reading.error)) return { allowed: "no", why: `the service refuses it (${status})` };
  return { allowed: "unknown", why: describeFailure(reading.error) };
}

function writePermission(key: DoctorObservations["key"]): Permission {
  const admin = adminRoles(key);
  if (admin.length > 0) return { allowed: "probably", why: `the key has ${formatRoles(admin)}` };
  if (key.shown?.roles === undefined) return { allowed: "unknown", why: "the roles of the key are not shown" };
  return { allowed: "probably-not", why: "the key has no administrator role" };
}
