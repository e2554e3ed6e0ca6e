import type { Wanted } from "./company.ts";
import type { WorldKey, WorldPerson } from "./drawn-service.ts";
import { fold, isAsked, type Judged, replacementOf, wantedRoles } from "./judge.ts";

/** What a roster wants and its service does not have, in a few words each; empty where the roster is reached. */
export function unmet(judged: Pick<Judged, "wanted" | "service">): readonly string[] {
  const { wanted } = judged;
  return [
    ...wanted.people.flatMap((person) => unmetOfPerson(judged, person)),
    ...wanted.leavers.flatMap((email) => unmetOfLeaver(judged, email)),
    ...wanted.teams.flatMap((team) => unmetOfTeam(judged, team)),
  ];
}

function unmetOfPerson(
  judged: Pick<Judged, "wanted" | "service">,
  person: Wanted["people"][number],
): readonly string[] {
  const there = personAt(judged, [person.email, ...person.previously]);
  if (there === undefined) return [`${person.email} is not there`];
  const own = there.keys.filter(({ kind }) => kind === "own");
  return own.flatMap((key) => unmetRoles(judged, there, key, `own key of ${person.email}`));
}

function unmetOfLeaver(judged: Pick<Judged, "wanted" | "service">, email: string): readonly string[] {
  const there = personAt(judged, [email]);
  return (there?.keys ?? []).flatMap((key) =>
    unmetRoles(judged, there as WorldPerson, key, `key of the leaver ${email}`),
  );
}

function unmetOfTeam(judged: Pick<Judged, "wanted" | "service">, team: Wanted["teams"][number]): readonly string[] {
  const { wanted, service } = judged;
  const named = service.teams.filter(({ name }) => fold(name) === fold(team.name));
  const [only] = named;
  if (only === undefined || named.length > 1) return [`there are ${named.length} teams ${team.name}`];
  return team.members.flatMap((email) => {
    const previously = wanted.people.find((person) => person.email === email)?.previously ?? [];
    const person = personAt(judged, [email, ...previously]);
    const key = person?.keys.find((one) => one.team === only.identifier);
    if (person === undefined || key === undefined || !only.members.includes(person.identifier)) {
      return [`${email} is not in ${team.name}`];
    }
    return unmetRoles(judged, person, key, `key of ${email} in ${team.name}`);
  });
}

/** A key whose roles were last asked to be exactly these is as far as its service lets anybody bring it. */
function unmetRoles(
  judged: Pick<Judged, "wanted" | "service">,
  holder: WorldPerson,
  key: WorldKey,
  what: string,
): readonly string[] {
  const wanted = wantedRoles(judged, holder, key);
  if (wanted === undefined || isAlike(key.roles, wanted)) return [];
  const asked = judged.service.writes
    .flatMap((write) => {
      const replacement = write.tookEffect ? replacementOf(write) : undefined;
      return replacement?.prefix === key.prefix ? [replacement.roles] : [];
    })
    .at(-1);
  if (asked !== undefined && isAsked(asked, wanted)) return [];
  return [`the ${what} has [${key.roles.join(", ")}], not [${wanted.join(", ")}]`];
}

function isAlike(has: readonly string[], wanted: readonly string[]): boolean {
  return [...new Set(has)].sort().join() === [...new Set(wanted)].sort().join();
}

function personAt({ service }: Pick<Judged, "service">, emails: readonly string[]): WorldPerson | undefined {
  return service.people.find((person) => emails.some((email) => fold(email) === fold(person.email)));
}
