import type { Year } from "./year.ts";
import { armedLeavers, type Judgement, strayPrivileges, type Unmet, unmetOf } from "./year-judge.ts";
import type { Ran } from "./year-stage.ts";

interface Finding {
  readonly blocking: boolean;
  readonly code: string;
}

/** What a command prints with `--format json`, as far as it is looked at. */
export interface RunDocument {
  readonly exit_code: number;
  readonly actions?: readonly { readonly id: string }[];
  readonly findings?: readonly Finding[];
  readonly run?: { readonly findings: readonly Finding[]; readonly outcomes: readonly { readonly outcome: string }[] };
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string } | null;
}

export function documentOf({ stdout }: Ran): RunDocument {
  return JSON.parse(stdout) as RunDocument;
}

/** What holds of every command, however it ends: it agrees with its document, and no key is in what it prints or keeps. */
export function judgeOutput({ code, stdout, stderr }: Ran, year: Year): readonly string[] {
  const said = `${stdout}${stderr}`;
  const told = stdout.startsWith("{") ? (JSON.parse(stdout) as RunDocument).exit_code : code;
  const secrets = secretsOf(year);
  const kept = year.stage.keeping.text();
  return [
    ...(told === code ? [] : [`exit code ${code}, and the document says ${told}`]),
    ...(secrets.some((secret) => said.includes(secret)) ? ["the secret of a key is in the output"] : []),
    ...(secrets.some((secret) => kept.includes(secret)) ? ["the secret of a key is in the state"] : []),
  ];
}

function secretsOf({ stage: { server } }: Year): readonly string[] {
  const full = server.world.users.flatMap(({ accessKeys }) =>
    accessKeys.map(({ prefix }) => server.world.fullKey(prefix)),
  );
  return [server.key, ...full].map((key) => key.slice(key.indexOf(".") + 1));
}

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
