import type { Selector } from "../../model/policy.ts";
import type { Roster } from "../../model/roster.ts";
import { closestMatch } from "../../model/similarity.ts";
import { foldName } from "../../model/team.ts";

/** What is refused about names, with its advice. */
interface RefusedInput {
  readonly hint: string;
}

/** The same, with what the first selector that means nothing in the roster was most likely meant to be. */
export function suggestSelector<T extends RefusedInput>(refused: T, selectors: readonly Selector[], roster: Roster): T {
  const meant = selectors.map((selector) => closestSelector(selector, roster)).find((one) => one !== undefined);
  return withSuggestion(refused, meant);
}

function closestSelector(selector: Selector, roster: Roster): string | undefined {
  if (selector.kind === "user") {
    if (roster.users.has(selector.address) || roster.leavers.has(selector.address)) return undefined;
    const close = closestMatch(selector.address, emailsIn(roster));
    return close === undefined ? undefined : `user:${close}`;
  }
  const names = roster.teams.map(({ name }) => name);
  if (names.some((name) => foldName(name) === selector.name)) return undefined;
  const close = closestMatch(selector.name, names);
  return close === undefined ? undefined : `team:${close}`;
}

/** The same, with the user or the team that was most likely meant, where the roster has none of that name. */
export function suggestMember<T extends RefusedInput>(
  refused: T,
  { email, team }: { readonly email: string; readonly team: string },
  roster: Roster,
): T {
  const emails = [...emailsIn(roster)];
  const names = roster.teams.flatMap(({ name, identifier }) => [
    name,
    ...(identifier === undefined ? [] : [identifier.value]),
  ]);
  const isThere = (said: string, known: readonly string[]) => known.some((one) => foldName(one) === foldName(said));
  if (!isThere(email, emails)) return withSuggestion(refused, closestMatch(email, emails));
  return isThere(team, names) ? refused : withSuggestion(refused, closestMatch(team, names));
}

function emailsIn({ users, leavers }: Roster): Iterable<string> {
  return [...users.values(), ...leavers.values()].map(({ email }) => email);
}

function withSuggestion<T extends RefusedInput>(refused: T, meant: string | undefined): T {
  return meant === undefined ? refused : { ...refused, hint: `Did you mean ${meant}? ${refused.hint}` };
}
