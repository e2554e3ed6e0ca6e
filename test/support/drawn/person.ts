import { fold, type Judged } from "./judge.ts";
import type { PrintedWord } from "./printed-words.ts";

/**
 * The words of the last output that a person says in the next run. They know what was there before the first run, and not what
 * became of a call; where a word asks for that, they look.
 */
export function wordsToSay(offered: readonly PrintedWord[], judged: Judged): readonly string[] {
  return offered.flatMap(({ flag, value }) => (isTrue({ flag, value }, judged) ? [flag, value] : []));
}

function isTrue({ flag, value }: PrintedWord, judged: Judged): boolean {
  const { seed, wanted, service } = judged;
  // Nobody was deleted: whoever is there is not created again.
  if (flag === "--recreate") return service.people.every(({ email }) => fold(email) !== fold(value));
  if (value === "teams") return seed.teams.length === 0;
  const [, kind, rest = ""] = /^(team|member):(.*)$/su.exec(value) ?? [];
  if (kind === "member") return wanted.teams.some((team) => isNoMember(rest, team.name, judged));
  const name = wanted.teams.find((team) => rest === team.name || rest.startsWith(`${team.name}@`))?.name;
  if (kind !== "team" || name === undefined) return false;
  if (seed.teams.some((team) => fold(team.name) === fold(name))) return false;
  // A word that names a call says what became of it.
  return rest === name || service.writes.every((write) => !write.tookEffect || !founds(write.body, name));
}

function isNoMember(rest: string, team: string, { service }: Judged): boolean {
  if (!rest.startsWith(`${team}/`)) return false;
  const email = rest.slice(team.length + 1);
  const identifiers = service.teams.filter(({ name }) => name === team).map(({ identifier }) => identifier);
  return service.people.some(
    (person) => fold(person.email) === fold(email) && person.keys.every((key) => !identifiers.includes(key.team ?? "")),
  );
}

function founds(body: unknown, team: string): boolean {
  return (body as { readonly team?: { readonly name?: string } }).team?.name === team;
}
