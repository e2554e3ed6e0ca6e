import { distinctReasons, type Reason } from "../model/fact.ts";
import type { Roster } from "../model/roster.ts";
import { accountStatus, type Snapshot } from "../model/snapshot.ts";
import type { FindingDraft } from "./draft.ts";
import { observedBasis } from "./subjects.ts";

/** Accounts in which nothing can be done, one finding each. */
export interface ClosedAccounts {
  readonly closed: ReadonlySet<string>;
  readonly findings: readonly FindingDraft[];
}

export function findClosedAccounts(roster: Roster, snapshot: Snapshot): ClosedAccounts {
  const findings: FindingDraft[] = [];
  const closed = new Set<string>();
  for (const [account, places] of accountReasons(roster)) {
    const finding = closedAccountFinding(account, distinctReasons(places), snapshot);
    if (finding === undefined) continue;
    findings.push(finding);
    closed.add(account);
  }
  return { closed, findings };
}

function accountReasons(roster: Roster): ReadonlyMap<string, readonly Reason[]> {
  const places = new Map<string, Reason[]>();
  const mention = (account: string, reasons: readonly Reason[]) => {
    const known = places.get(account);
    if (known === undefined) places.set(account, [...reasons]);
    else known.push(...reasons);
  };
  const things = [...roster.users.values(), ...roster.teams];
  for (const { account, because } of things) mention(account, because.slice(1));
  for (const { account, because } of things) mention(account, because.slice(0, 1));
  return places;
}

function closedAccountFinding(
  account: string,
  because: readonly Reason[],
  snapshot: Snapshot,
): FindingDraft | undefined {
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
  const word = accountStatus(shown.status);
  if (word !== "barred" && word !== "deleted") return undefined;
  return {
    ...about,
    code: "inactive-account",
    message:
      `The service shows the account ${account} as ${shown.status}, so nothing in it is planned. ` +
      "Have the account activated, or take it out of the roster.",
    restsOn: [observedBasis(`account ${account}`, shown.status ?? "", shown.by)],
  };
}
