import { formatPlace } from "../model/place.ts";
import { writeScalar } from "../yaml/write-scalar.ts";
import type { DiagnosticsCollector } from "./complaints.ts";
import type { SourceAddress, UserEntry } from "./draft.ts";
import type { ResolvedKey } from "./resolution.ts";

/** Tells of a user who is a leaver from today on, with the lines that say so for good. */
export function reportOffboardedUser(user: UserEntry, prefixes: readonly string[], log: DiagnosticsCollector): void {
  const { email, previously, until } = user;
  if (until === undefined) return;
  const message = `The \`until\` of \`${email.value}\` has come: they are a leaver since ${until.value}.`;
  const people = [email, ...previously].map(({ value }) => `{ email: ${writeScalar(value)}, since: ${until.value} }`);
  const owner = writeScalar(email.value);
  const keys = prefixes.map((prefix) => `{ prefix: ${writeScalar(prefix)}, owner: ${owner}, roles: [] }`);
  const kept = keys.length === 0 ? "" : `, and what is known of their keys to \`keys\`: ${quotedEntries(keys)}`;
  log.warning(until.at, "until-has-come", message, `Move them to \`leavers\`: ${quotedEntries(people)}${kept}.`);
}

function quotedEntries(written: readonly string[]): string {
  return written.map((entry) => `\`- ${entry}\``).join(", ");
}

const positionNouns = { group: "group member", member: "member", admin: "administrator", founder: "founder" };

/** Tells of a place in the roster that names them and does not count any more. */
export function reportOffboardedReference(
  person: SourceAddress,
  where: "group" | "member" | "admin" | "founder",
  user: UserEntry,
  log: DiagnosticsCollector,
): void {
  const message = `The ${positionNouns[where]} \`${person.value}\` is a leaver ${sinceText(user)}; this place no longer counts.`;
  log.warning(person.at, "until-has-come", message, "Remove them here.");
}

/** Tells of a listed key of theirs whose roles do not count any more. */
export function reportOffboardedKey({ draft, roles }: ResolvedKey, user: UserEntry, log: DiagnosticsCollector): void {
  const message = `The key \`${draft.prefix.value}\` is one of \`${user.email.value}\`, a leaver ${sinceText(user)}; it counts as \`roles: []\`.`;
  log.warning(
    roles.at,
    "until-has-come",
    message,
    "Write `roles: []`, or correct the owner or the prefix where the key is somebody else's.",
  );
}

function sinceText({ until }: UserEntry): string {
  return until === undefined ? "" : `since ${until.value} (${formatPlace(until.at.place)})`;
}
