import { distinctReasons } from "../model/reason.ts";
import type { RecordedRefusal } from "../model/refusal.ts";
import type { RosterMember, RosterTeam } from "../model/roster.ts";
import type { Draft } from "./draft.ts";
import type { KnownKeyWish } from "./key-wishes.ts";
import type { Present } from "./person.ts";
import { keySubject, memberSubject, remembered, showRoles } from "./subjects.ts";

/** Somebody whom the service would not let into a team. */
export function tellRefusedMember(
  team: RosterTeam,
  { because, address }: RosterMember,
  { user }: Present,
  refusal: RecordedRefusal,
): Draft {
  const subject = memberSubject(address, team.key);
  const told = refusedBefore(`add ${user.email} to ${team.name}`, refusal);
  return {
    code: "refused",
    subject,
    message: `${told} ${waysOut("correct the member or the team in the roster")}`,
    because,
    restsOn: [refusalBasis(`addition of ${subject}`, refusal)],
    concerns: [{ address, team: team.key }],
  };
}

/** A key to which the service would not give its roles. */
export function tellRefusedRoles(group: readonly KnownKeyWish[], refusal: RecordedRefusal): Draft {
  const [{ key, roles, asks } = { key: { value: "" }, roles: [], asks: "list" }] = group;
  const subject = keySubject(key.value);
  const told = refusedBefore(`give the key ${key.value} ${showRoles(roles)}`, refusal);
  return {
    code: "refused",
    subject,
    message: `${told} ${waysOut(asks === "leaver" || asks === "removal" ? "have the key switched off by hand" : "correct the roles or the key in the roster")}`,
    because: distinctReasons(group.flatMap(({ because }) => because)),
    restsOn: [refusalBasis(`roles of ${subject}`, refusal)],
    concerns: group.map(({ concern }) => concern),
  };
}

/** What was refused, when, in which words, and by which request. */
export function refusedBefore(doing: string, { at, failure }: RecordedRefusal): string {
  const { message, serviceSays, request, hint } = failure;
  const asked = request === undefined ? "" : `, as ${request},`;
  const words = serviceSays === undefined ? message : `${message}: ${serviceSays}`;
  const next = hint === undefined ? "" : ` ${sentence(hint)}`;
  return `The service refused to ${doing} at ${at}${asked} in these words: ${stopped(words)}${next}`;
}

/** Both ways out; the first is a change of the roster. */
export function waysOut(correct: string): string {
  return (
    "The same is not sent again by itself while neither the roster nor what is shown changes: " +
    `${correct}, or have the service put in order and say --retry-refused for one run.`
  );
}

export function refusalBasis(about: string, { at }: RecordedRefusal): ReturnType<typeof remembered> {
  return remembered(about, "refused", at);
}

function sentence(text: string): string {
  return stopped(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

function stopped(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
