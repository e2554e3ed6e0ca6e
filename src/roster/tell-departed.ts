import { showPlace } from "../model/place.ts";
import { writeScalar } from "../yaml/write-scalar.ts";
import type { Complaints } from "./complaints.ts";
import type { DraftUser, WrittenAddress } from "./draft.ts";
import type { ResolvedKey } from "./resolution.ts";

/** Tells of a user who is a leaver from today on, with the lines that say so for good. */
export function tellUser(user: DraftUser, prefixes: readonly string[], log: Complaints): void {
  const { email, previously, until } = user;
  if (until === undefined) return;
  const message = `The \`until\` of \`${email.value}\` has come: they are a leaver since ${until.value}.`;
  const people = [email, ...previously].map(({ value }) => `{ email: ${writeScalar(value)}, since: ${until.value} }`);
  const owner = writeScalar(email.value);
  const keys = prefixes.map((prefix) => `{ prefix: ${writeScalar(prefix)}, owner: ${owner}, roles: [] }`);
  const kept = keys.length === 0 ? "" : `, and what is known of their keys to \`keys\`: ${entries(keys)}`;
  log.warning(until.at, "until-has-come", message, `Move them to \`leavers\`: ${entries(people)}${kept}.`);
}

function entries(written: readonly string[]): string {
  return written.map((entry) => `\`- ${entry}\``).join(", ");
}

const places = { group: "group member", member: "member", admin: "administrator", founder: "founder" };

/** Tells of a place in the roster that names them and does not count any more. */
export function tellPlace(
  person: WrittenAddress,
  where: "group" | "member" | "admin" | "founder",
  user: DraftUser,
  log: Complaints,
): void {
  const message = `The ${places[where]} \`${person.value}\` is a leaver ${since(user)}; this place no longer counts.`;
  log.warning(person.at, "until-has-come", message, "Remove them here.");
}

/** Tells of a listed key of theirs whose roles do not count any more. */
export function tellKey({ draft, roles }: ResolvedKey, user: DraftUser, log: Complaints): void {
  const message = `The key \`${draft.prefix.value}\` is one of \`${user.email.value}\`, a leaver ${since(user)}; it counts as \`roles: []\`.`;
  log.warning(
    roles.at,
    "until-has-come",
    message,
    "Write `roles: []`, or correct the owner or the prefix where the key is somebody else's.",
  );
}

function since({ until }: DraftUser): string {
  return until === undefined ? "" : `since ${until.value} (${showPlace(until.at.place)})`;
}
