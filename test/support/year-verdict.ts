import { documentOf } from "./run-document.ts";
import type { Ran } from "./stage.ts";
import type { Year } from "./year.ts";
import { armedLeavers, type Judgement, strayPrivileges, type Unmet, unmetOf } from "./year-judge.ts";

/** Exit code 0 says that the roster is reached. */
export function judgeSuccess(judgement: Judgement): readonly string[] {
  return unmetOf(judgement).map(({ what }) => `exit code 0 without ${what}`);
}

/** What an apply that nothing disturbed leaves: only what waits for somebody is missing, and each of it is told. */
export function judgeCalm(ran: Ran, judgement: Judgement, year: Year): readonly string[] {
  const { findings = [], run } = documentOf(ran);
  const failed = (run?.outcomes ?? []).filter(({ outcome }) => outcome !== "succeeded" && outcome !== "unneeded");
  const blocking = [...findings, ...(run?.findings ?? [])].filter((finding) => finding.blocking);
  const told = JSON.stringify([...blocking, ...failed]).toLowerCase();
  const isTold = ({ about, team }: Unmet) =>
    [...about, ...(isBusy(team, year) ? [team?.name ?? ""] : [])].some((word) => told.includes(word.toLowerCase()));
  const codes = [...new Set(blocking.map(({ code }) => code))].join(", ");
  const unmet = unmetOf(judgement);
  return [
    ...unmet.filter((one) => !isTold(one)).map(({ what }) => `${what} is missing, and nothing says so`),
    ...unmet.filter((one) => !waits(one, year)).map(({ what }) => `${what} is missing for no reason (${codes})`),
    ...armedLeavers(judgement),
    ...strayPrivileges(judgement.truth, year.privileged),
  ];
}

/** Whether something is known to be out of order about the people or the team in question. */
function waits({ people, team }: Unmet, year: Year): boolean {
  const { matters } = year;
  const busy = new Set(matters.flatMap((matter) => matter.people.flatMap(({ addresses }) => [...addresses])));
  const strangers = new Set(matters.flatMap((matter) => matter.strangers ?? []));
  if (isBusy(team, year)) return true;
  return people.length > 0 && people.every((email) => busy.has(email) || strangers.has(email));
}

function isBusy(team: Unmet["team"], { matters }: Year): boolean {
  return team !== undefined && matters.some(({ teams = [] }) => teams.some(({ id }) => id === team.id));
}
