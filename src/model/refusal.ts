import type { Exception } from "./policy.ts";
import type { Failure, RecordedRefusal, RefusalKey, RefusedPart, RequestDigest } from "./recorded.ts";
import type { RoleSet } from "./role-set.ts";
import type { ObservedAccount, ObservedKey, ObservedUser, Snapshot } from "./snapshot.ts";
import { foldName } from "./team.ts";

export type { RecordedRefusal, RefusalKey, RefusedPart, RequestDigest } from "./recorded.ts";

/** What a person allows so that the refused call is sent again. */
export function retryOf({ part }: Pick<RecordedRefusal, "part">): Exception {
  switch (part.of) {
    case "creation":
    case "addition":
      return { is: "retry-user", address: part.address };
    case "team-creation":
      return { is: "retry-team", team: foldName(part.name) };
    case "roles":
      return part.owner === undefined
        ? { is: "retry-key", prefix: part.prefix }
        : { is: "retry-user", address: part.owner };
  }
}

/** Who may found a team is a question of its own for each team, so that two teams never take turns with one person. */
export function refusalKeyOf(part: RefusedPart): RefusalKey {
  switch (part.of) {
    case "creation":
      return `creation ${part.address}` as RefusalKey;
    case "team-creation":
      return `team-creation ${part.team} ${part.address}` as RefusalKey;
    case "addition":
      return `addition ${part.team} ${part.address}` as RefusalKey;
    case "roles":
      return `roles ${part.prefix}` as RefusalKey;
  }
}

/** Whether a request is the refused one. Facts that only one of both times could see are no change. */
export function isSameRequest(refused: RequestDigest, now: RequestDigest): boolean {
  if (refused.asks !== now.asks) return false;
  return refused.facts === undefined || now.facts === undefined || refused.facts === now.facts;
}

/** Whether the same request would be answered alike again. */
type Permanence =
  | "permanent"
  /** Only where the key in use was allowed another call of the kind: else the refusal is the key's, not the request's. */
  | "if-others-were-allowed"
  | "passing";

/**
 * A wrong request and a conflict stay what they are. What is not found counts only if it was seen before the run, since
 * whatever the run itself has just made may not be known everywhere yet. All else may pass.
 */
export function permanenceOf({ code }: Failure, { facts }: RequestDigest): Permanence {
  switch (code) {
    case "refused":
    case "conflict":
      return "permanent";
    case "not-found":
      return facts === undefined ? "passing" : "permanent";
    case "forbidden":
      return "if-others-were-allowed";
    case "unauthorized":
    case "service-error":
    case "unreachable":
    case "misunderstood":
    case "stale":
    case "redirected":
    case "aborted":
    case "state":
    case "locked":
      return "passing";
  }
}

/** What of an account, and of a team's administrator who is there, may decide whether a creation is refused. */
export function creationRefusalFacts(account: ObservedAccount | undefined, admin?: ObservedUser): string {
  return JSON.stringify([account?.status ?? null, admin === undefined ? null : userFacts(admin)]);
}

/** What of a person may decide whether they are let into a team. */
export function additionRefusalFacts(user: ObservedUser): string {
  return JSON.stringify(userFacts(user));
}

/** What of a key, of its holder and of the roles asked for may decide whether it is given them. */
export function roleRefusalFacts(
  asked: RoleSet,
  seen: {
    readonly roles: Snapshot["roles"];
    readonly holder: ObservedUser | undefined;
    readonly key: ObservedKey | undefined;
  },
): string {
  const { roles, holder, key } = seen;
  const kinds = roles.known === "unknown" ? null : asked.map((role) => roleKind(role, roles.value));
  const carried = key === undefined ? null : [key.status ?? null, key.roles ?? null];
  return JSON.stringify([holder === undefined ? null : userFacts(holder), carried, kinds]);
}

function userFacts({ identifier, status, account }: ObservedUser): readonly unknown[] {
  return [identifier ?? null, status ?? null, account ?? null];
}

function roleKind(role: string, listed: readonly { readonly identifier: string; readonly type?: string }[]): unknown {
  const found = listed.find(({ identifier }) => identifier === role);
  return found === undefined ? null : (found.type ?? "listed");
}
