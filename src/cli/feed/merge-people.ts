import { joinList } from "../../codes/message.ts";
import { type EmailKey, foldAddress } from "../../model/address.ts";
import { formatPlace } from "../../model/fact.ts";
import { formatCounts } from "../../report/document/names.ts";
import type { RosterDocument } from "../../roster/decode.ts";
import type { SourceRange } from "../../yaml/source-text.ts";
import { feedFields } from "../settings/setting-table.ts";
import { addressOf, type Entry, type GeneratedFile } from "./generated-file.ts";

/** What the file said beside the feed stays, by address or `externalIdentifier`. */
export function mergePeople(
  feed: readonly Entry[],
  before: GeneratedFile,
  others: readonly RosterDocument[],
  today: string,
) {
  const hasEnded = ({ until = "9999" }: Entry) => until <= today;
  const users: Entry[] = [];
  const ended: Entry[] = [];
  const put = (user: Entry, old: Entry) => {
    users.push(user);
    if (hasEnded(user) && !hasEnded(old)) ended.push(user);
  };
  const added: string[] = [];
  const changed: string[] = [];
  const blocked: string[] = [];
  const back: string[] = [];
  const unseen = new Set(before.users);
  const staying = new Set<Entry | undefined>();
  for (const match of matchPeople(feed, before, others)) {
    const { person } = match;
    const { email } = person;
    switch (match.is) {
      case "blocked":
        blocked.push(`  ${email}: not changed: ${match.why}`);
        staying.add(match.user);
        break;
      case "new":
        if (hasEnded(person)) break;
        users.push(person);
        added.push(`+ ${email}`);
        break;
      case "known": {
        const { old } = match;
        const user = updated(old, person);
        unseen.delete(old);
        put(user, old);
        const fields = feedFields.filter((field) => old[field] !== user[field]);
        if (!hasEnded(user) && fields.length > 0) changed.push(`~ ${email}: ${fields.join(", ")}`);
        if (hasEnded(user) && hasEnded(old) && person.until === undefined)
          back.push(`  ${email}: not changed: \`until\` of this user has passed; remove it if this person came back`);
      }
    }
  }
  for (const old of unseen) put(hasEnded(old) || staying.has(old) ? old : { ...old, until: today }, old);
  // Who ended is a leaver, unless another file still names them: then the `until` of the user ends their access.
  const named = addressesIn(others);
  const leaving = new Set(users.filter((user) => hasEnded(user) && !named.has(addressOf(user))));
  const counts = formatCounts(
    [added.length, "new user"],
    [changed.length, "changed user"],
    [ended.length, "departure"],
  );
  return {
    after: withLeavers({ ...before, users: users.filter((user) => !leaving.has(user)) }, [...leaving]),
    had: before.users.filter((user) => !hasEnded(user)).length,
    ended,
    lines: [
      ...added,
      ...changed,
      ...ended.map(({ email, until }) => `- ${email} (since ${until})`),
      ...blocked,
      ...back,
    ],
    summary: counts.length === 0 ? "nobody changed" : joinList(counts),
  };
}

interface Obstacle {
  readonly why: string;
  /** An entry of the file that stays for it. */
  readonly user?: Entry;
}

/** Each person of the feed with their entry: that of the address, or that of the identifier where its address is not in the feed. */
function matchPeople(feed: readonly Entry[], before: GeneratedFile, others: readonly RosterDocument[]) {
  const known = new Map(before.users.map((user) => [addressOf(user), user]));
  const inFeed = new Set(feed.map(addressOf));
  const missing = before.users.filter((user) => !inFeed.has(addressOf(user)));
  const renamed = new Map(missing.map((user) => [user.externalIdentifier, user]));
  renamed.delete(undefined);
  const obstacles = findObstacles(before, others);
  return feed.map((person) => {
    const same = known.get(addressOf(person));
    const obstacle = obstacles.get(addressOf(person));
    if (same === undefined && obstacle !== undefined) return { person, is: "blocked", ...obstacle } as const;
    const old = same ?? renamed.get(person.externalIdentifier);
    return old === undefined ? ({ person, is: "new" } as const) : ({ person, is: "known", old } as const);
  });
}

/** A former address goes to `previously`: nobody is created twice. */
function updated(old: Entry, person: Entry): Entry {
  const isRenamed = old.email !== undefined && addressOf(old) !== addressOf(person);
  const previously = isRenamed ? { previously: [...(old.previously ?? []), old.email] } : {};
  return { ...inOrder, ...old, ...person, ...previously };
}

function withLeavers(file: GeneratedFile, leaving: readonly Entry[]): GeneratedFile {
  return {
    ...file,
    // One for each address under which the service may know them.
    leavers: [
      ...file.leavers,
      ...leaving.flatMap(({ email, previously = [], until: since, owner, note }) =>
        [email, ...previously].map((one) => ({ email: one, since, owner, note }) as Entry),
      ),
    ],
    // A prefix that only the user's entry names would be lost.
    keys: [
      ...file.keys,
      ...leaving.flatMap(({ key, email }) => (key === undefined ? [] : [{ prefix: key, owner: email, roles: [] }])),
    ],
  };
}

/** What a feed says of a person comes first in their entry. */
const inOrder = Object.fromEntries(feedFields.map((field) => [field, undefined]));

/** Addresses that are not added: somebody has or had them. */
function findObstacles(before: GeneratedFile, others: readonly RosterDocument[]): ReadonlyMap<EmailKey, Obstacle> {
  const former = "this is the former address of a user";
  const leaver = "this person is a leaver; if the person came back, remove that entry";
  const found = new Map<EmailKey, Obstacle>();
  for (const user of before.users)
    for (const address of user.previously ?? []) found.set(foldAddress(address), { why: former, user });
  for (const entry of before.leavers) found.set(addressOf(entry), { why: leaver });
  for (const { users, leavers } of others) {
    const at = (why: string, { place }: SourceRange) => ({ why: `${why} (${formatPlace(place)})` });
    for (const user of users) for (const { address } of user.previously) found.set(address, at(former, user.at));
    for (const entry of leavers) found.set(entry.email.address, at(leaver, entry.at));
    for (const user of users) found.set(user.email.address, at("this user is in another file", user.at));
  }
  return found;
}

/** Addresses that other files name: a user with an `until` may stay there, a leaver may not. */
function addressesIn(others: readonly RosterDocument[]): ReadonlySet<EmailKey | undefined> {
  const addresses = others.flatMap(({ teams, groups, keys }) => [
    ...teams.flatMap(({ admin, firstMember }) => [admin, firstMember]),
    ...teams.flatMap(({ members }) => members.map((member) => (member.is === "user" ? member.user : undefined))),
    ...groups.flatMap(({ members }) => members),
    ...keys.map(({ owner }) => owner),
  ]);
  return new Set(addresses.map((one) => one?.address));
}
