import type { Place } from "../model/place.ts";
import type { Roster } from "../model/roster.ts";
import { type Snapshot, standing } from "../model/snapshot.ts";
import type { Draft } from "./draft.ts";
import { distinctPlaces, seen } from "./subjects.ts";

/** Accounts in which nothing can be done, one finding each. */
export interface JudgedAccounts {
  readonly closed: ReadonlySet<string>;
  readonly findings: readonly Draft[];
}

export function judgeAccounts(roster: Roster, snapshot: Snapshot): JudgedAccounts {
  const findings: Draft[] = [];
  const closed = new Set<string>();
  for (const [account, places] of mentions(roster)) {
    const finding = judge(account, distinctPlaces(places), snapshot);
    if (finding === undefined) continue;
    findings.push(finding);
    closed.add(account);
  }
  return { closed, findings };
}

function mentions(roster: Roster): ReadonlyMap<string, readonly Place[]> {
  const places = new Map<string, Place[]>();
  const mention = (account: string, place: Place) => {
    const known = places.get(account);
    if (known === undefined) places.set(account, [place]);
    else known.push(place);
  };
  for (const { value, place } of roster.accounts) mention(value, place);
  for (const { account, place } of roster.users.values()) mention(account, place);
  for (const { account, place } of roster.teams) mention(account, place);
  return places;
}

function judge(account: string, because: readonly Place[], snapshot: Snapshot): Draft | undefined {
  const shown = snapshot.accounts.get(account);
  const about = { subject: `account ${account}`, because, concerns: [] };
  if (shown === undefined) {
    return {
      ...about,
      code: "unknown-account",
      message:
        `The service knows no account ${account}, so nothing in it is planned. ` +
        "Correct the account in the roster or its alias in the settings, or use a key that may see the account.",
    };
  }
  const word = standing(shown.status);
  if (word !== "barred" && word !== "deleted") return undefined;
  return {
    ...about,
    code: "inactive-account",
    message:
      `The service shows the account ${account} as ${shown.status}, so nothing in it is planned. ` +
      "Have the account activated, or take it out of the roster.",
    restsOn: [seen(`account ${account}`, shown.status ?? "", shown.by)],
  };
}
