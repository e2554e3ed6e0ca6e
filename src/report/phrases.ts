import { formatCount } from "../codes/message.ts";
import type { Failure, Intent, Ownership } from "../model/recorded.ts";

/** `2 errors`, `1 warning`: each count that is not 0, with its unit as formatCount takes it. */
export function formatCounts(
  ...counts: readonly (readonly [count: number, one: string, many?: string])[]
): readonly string[] {
  return counts.flatMap(([count, one, many]) => (count === 0 ? [] : [formatCount(count, one, many)]));
}

/** `2 failed`, `1 stale`: each count that is not 0, with words that are the same for one and for several. */
export function formatTallies(...tallies: readonly (readonly [count: number, words: string])[]): readonly string[] {
  return tallies.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]));
}

/** Those of a list that are there: what may be left out stands in it with its condition. */
export function present<One>(...all: readonly (One | undefined | false | "")[]): readonly One[] {
  return all.filter((one): one is One => one !== undefined && one !== false && one !== "");
}

/** ` (status 409)`, where the message does not say it. */
export function statusAside({ message, status }: Pick<Failure, "message" | "status">): string {
  return status === undefined || message.includes(String(status)) ? "" : ` (status ${status})`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first of many, and what stands for the others. One more than the limit is shown too: to count it would take as much room. */
export function firstOf<One>(
  all: readonly One[],
  limit: number,
  rest: (more: number, next: One) => One,
): readonly One[] {
  const next = all[limit];
  if (next === undefined || all.length === limit + 1) return all;
  return [...all.slice(0, limit), rest(all.length - limit, next)];
}

export function truncateText(text: string, limit: number): string {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join("")}…`;
}

export function formatOwnership(ownership: Ownership): string {
  const { owner, note } = ownership;
  return present(owner !== undefined && `owner ${owner}`, note !== undefined && `note: ${note}`).join(", ");
}

export function ownershipAside(ownership: Ownership | undefined): string {
  return ownership === undefined ? "" : ` (${formatOwnership(ownership).replace(/\.$/u, "")})`;
}

/** What a call asked for, to follow "a run began to"; not yet made safe. */
export function formatIntent(intent: Intent): string {
  switch (intent.kind) {
    case "create-user": {
      const team = intent.createsTeam === undefined ? "" : ` and the team ${intent.createsTeam.name}`;
      return `create ${intent.email} in ${intent.account}${team}`;
    }
    case "add-members":
      return `add ${intent.addresses.join(", ")} to the team ${intent.name} of ${intent.account}`;
    case "replace-roles":
      return intent.roles.length === 0
        ? `remove all roles from the key ${intent.prefix}`
        : `set the roles of the key ${intent.prefix} to ${intent.roles.join(", ")}`;
  }
}
