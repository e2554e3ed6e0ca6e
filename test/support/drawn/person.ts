import { fold, type Judged } from "./judge.ts";
import type { PrintedWord } from "./printed-words.ts";

/**
 * The words of the last output that a person says in the next run. They know what was there before the first run, and not what
 * became of a call; where a word asks for that, they look.
 */
export function wordsToSay(offered: readonly PrintedWord[], judged: Judged): readonly string[] {
  return offered.flatMap(({ what, word }) => (isTrue(what, judged) ? ["--allow", word] : []));
}

/** Guards are not allowed to pass, and what was refused is not sent again: nothing of the service is put in order. */
function isTrue(what: string, judged: Judged): boolean {
  const { seed, wanted, service } = judged;
  const [, kind, rest = ""] = /^(user-missing|unproven-absence|unknown-outcome):(.*)$/su.exec(what) ?? [];
  if (kind === undefined) return false;
  const told = decodeURIComponent(rest);
  // Nobody was deleted: whoever is there is not created again.
  if (kind === "user-missing") return service.people.every(({ email }) => fold(email) !== fold(told));
  if (told.includes("/") && told.includes("@")) return wanted.teams.some((team) => isNoMember(told, team.name, judged));
  const name = wanted.teams.find((team) => fold(told) === fold(team.name))?.name;
  if (name === undefined || seed.teams.some((team) => fold(team.name) === fold(name))) return false;
  // A code about a call says what became of it.
  return (
    kind === "unproven-absence" || service.writes.every((write) => !write.tookEffect || !createsTeam(write.body, name))
  );
}

function isNoMember(rest: string, team: string, { service }: Judged): boolean {
  if (!fold(rest).startsWith(`${fold(team)}/`)) return false;
  const email = rest.slice(team.length + 1);
  const identifiers = service.teams.filter(({ name }) => name === team).map(({ identifier }) => identifier);
  return service.people.some(
    (person) => fold(person.email) === fold(email) && person.keys.every((key) => !identifiers.includes(key.team ?? "")),
  );
}

function createsTeam(body: unknown, team: string): boolean {
  return (body as { readonly team?: { readonly name?: string } }).team?.name === team;
}
