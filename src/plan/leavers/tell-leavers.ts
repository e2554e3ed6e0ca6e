import { accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import type { OpenIntent } from "../../model/state.ts";
import type { Draft } from "../draft.ts";
import { accountShownFor } from "../facts.ts";
import type { Question } from "../question.ts";
import { decisionWords, resolveWords } from "../resolve-words.ts";
import { listed, notKnown, remembered, seen, userSubject } from "../subjects.ts";
import type { FoundLeaver } from "./found-leavers.ts";
import { whatRemains } from "./what-remains.ts";
import { leaverBasis } from "./wish-leavers.ts";

/** What no call can end about a leaver, as one finding, and what is in doubt; nothing of those who are gone. */
export function tellLeaver(found: FoundLeaver, question: Question): readonly Draft[] {
  const { leaver, presence } = found;
  const opens = announcedAbout(found, question);
  const doubt = opens.length === 0 ? [] : [inDoubt(found, opens, question)];
  switch (presence.is) {
    case "gone":
      return doubt;
    case "unproven":
      return [...doubt, unproven(found, presence.why)];
    case "there": {
      const isBarred = presence.users.every(({ status }) => accountStatus(status) === "barred");
      const remains = whatRemains(leaver, presence.users, question);
      return [
        ...doubt,
        isBarred ? barred(found, presence.users, remains) : stays(found, presence.users, remains, question),
      ];
    }
  }
}

type Told = Pick<Draft, "code" | "message" | "restsOn">;

function about({ leaver }: FoundLeaver, { code, message, restsOn = [] }: Told): Draft {
  const { address, because } = leaver;
  return {
    code,
    subject: userSubject(address),
    message,
    because,
    restsOn: [leaverBasis(leaver), ...restsOn],
    concerns: [{ address }],
  };
}

function stays(
  found: FoundLeaver,
  users: readonly ObservedUser[],
  remains: readonly string[],
  question: Question,
): Draft {
  const names = users.map((user) => userName(user, found, question));
  const message =
    `${nameOf(found)} is a leaver${sinceOf(found)}, and the service still has ${listed(names)}${withRemains(remains)}. ` +
    `No call deletes a user, ends a membership or withdraws an invitation: have ${listed(names)} deleted, or switched off, ` +
    `by hand.${founderWarning(found, question)}`;
  return about(found, { code: "leaver-remains", message, restsOn: bases(users) });
}

function barred(found: FoundLeaver, users: readonly ObservedUser[], remains: readonly string[]): Draft {
  const words = [...new Set(users.map(({ status }) => status ?? ""))];
  const message =
    `${nameOf(found)} is a leaver${sinceOf(found)}, and the service shows the user as ${listed(words)}${withRemains(remains)}: what is ` +
    "switched off opens nothing. Their keys are kept without roles all the same, for as long as they are listed.";
  return about(found, { code: "leaver-barred", message, restsOn: bases(users) });
}

function unproven(found: FoundLeaver, why: string): Draft {
  const message =
    `${nameOf(found)} is a leaver${sinceOf(found)}, and it is not proven that they are gone: ${why}. ` +
    "Plan again, and if this stays, check what the key in use may see, and look in the service by hand.";
  return about(found, {
    code: "leaver-unproven",
    message,
    restsOn: [notKnown(userSubject(found.leaver.address), why)],
  });
}

function inDoubt(found: FoundLeaver, opens: readonly OpenIntent[], question: Question): Draft {
  const doings = opens.map(({ intent, at }) =>
    intent.kind === "add-members" ? `to add them to ${intent.name} at ${at}` : `to create them at ${at}`,
  );
  const message =
    `${nameOf(found)} is a leaver${sinceOf(found)}. roster sent a call ${listed(doings)}, and does not know whether it was done. ` +
    `Nothing of it is sent again. ${decisionWords(opens, question)}; or look in the service and ${resolveWords(opens, question)}.`;
  const subject = userSubject(found.leaver.address);
  return about(found, {
    code: "unknown-outcome",
    message,
    restsOn: opens.map(({ run, at }) => remembered(subject, `call announced by run ${run}`, at)),
  });
}

/** Calls that can still bring them in, or in further. */
function announcedAbout({ leaver: { address } }: FoundLeaver, { state }: Question): readonly OpenIntent[] {
  return state.open.filter(({ intent }) => {
    if (intent.kind === "add-members") return intent.addresses.includes(address);
    return intent.kind === "create-user" && intent.address === address;
  });
}

/** Whoever founded a team may be its administrator, which no answer shows. */
function founderWarning({ leaver: { address } }: FoundLeaver, { state }: Question): string {
  const founded = [...state.teams.values()].filter(({ founder }) => founder === address).map(({ name }) => name);
  if (founded.length === 0) return "";
  return ` By our record ${listed(founded)} was founded with them: see to it that somebody else administers it.`;
}

function userName(user: ObservedUser, { leaver }: FoundLeaver, { facts }: Question): string {
  const account = accountShownFor(user, facts);
  const identifier = user.identifier === undefined ? "the user" : `the user ${user.identifier}`;
  const elsewhere = user.address === leaver.address ? "" : ` as ${user.email}`;
  const pending = accountStatus(user.status) === "pending" ? `, ${user.status},` : "";
  return `${identifier}${elsewhere}${pending}${account === undefined ? "" : ` in ${account}`}`;
}

function withRemains(remains: readonly string[]): string {
  return remains.length === 0 ? "" : `, with ${listed(remains)}`;
}

function nameOf({ leaver }: FoundLeaver): string {
  return leaver.email;
}

function sinceOf({ leaver: { since, ref } }: FoundLeaver): string {
  const said = [since === undefined ? undefined : `since ${since}`, ref].filter((one) => one !== undefined);
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}

function bases(users: readonly ObservedUser[]): NonNullable<Draft["restsOn"]> {
  return users.map(({ address, status, by }) =>
    seen(userSubject(address), `present as ${status ?? "a user without a status"}`, by),
  );
}
