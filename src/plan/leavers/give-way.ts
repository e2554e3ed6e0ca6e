import { distinctReasons } from "../../model/reason.ts";
import type { Draft } from "../draft.ts";
import type { KnownKeyWish, Wished } from "../key-wishes.ts";
import { keySubject, showRoles } from "../subjects.ts";

/** What is still wished for where a key is shown as a leaver's: nobody's wish for roles on it counts, and each is told. */
export interface GivenWay {
  readonly wished: readonly Wished[];
  readonly findings: readonly Draft[];
}

/** Where only a record or the roster says whose a key is, the wishes contradict each other, and nothing is done. */
export function giveWay(leavers: readonly KnownKeyWish[], wished: readonly Wished[]): GivenWay {
  const shown = new Map(
    leavers.filter(({ key }) => key.prefix.known === "observed").map((one) => [one.key.value, one]),
  );
  const kept: Wished[] = [];
  const findings: Draft[] = [];
  for (const wish of wished) {
    const leaver = wish?.is === "known" ? shown.get(wish.key.value) : undefined;
    if (wish?.is !== "known" || leaver === undefined) kept.push(wish);
    else if (wish.roles.length > 0) findings.push(tell(leaver, wish));
  }
  return { wished: kept, findings };
}

function tell({ key, holder, because, concern }: KnownKeyWish, wish: KnownKeyWish): Draft {
  const message =
    `The key ${key.value} is one of ${holder?.email ?? concern.address}, a leaver, and is to have ${showRoles(wish.roles)} all the same. A leaver holds ` +
    "nothing, so it is given no roles: have a key of somebody else made for what it is used for, and take this one out of here.";
  return {
    code: "conflicting-roles",
    subject: keySubject(key.value),
    message,
    because: distinctReasons([...wish.because, ...because]),
    concerns: [concern, wish.concern],
  };
}
