import { formatPlace, type Reason, type ReasonKind } from "../../model/fact.ts";
import type { PlanNames } from "../plan-names.ts";
import { type Line, prose, row } from "../text/lines.ts";

/** How many links of one kind are told one by one where they follow each other. */
const maxAlike = 5;

interface ReasonChainContext {
  readonly names: PlanNames;
  readonly indent: number;
}

/** A chain, one link a line with its place; of many alike that follow each other, the first few. */
export function reasonChainLines(chain: readonly Reason[], { names, indent }: ReasonChainContext): readonly Line[] {
  const lines: Line[] = [];
  for (const alike of groupAlike(chain)) {
    const told = alike.length <= maxAlike + 1 ? alike : alike.slice(0, maxAlike);
    for (const link of told) {
      const depth = indent + (isNested(link.as) ? 2 : 0);
      lines.push(row(depth, [formatReason(link, names)], formatPlace(link)));
    }
    const [left] = alike.slice(told.length);
    if (left !== undefined) {
      const depth = indent + (isNested(left.as) ? 2 : 0);
      lines.push(prose(depth, `and ${alike.length - told.length} more like these`, "dim"));
    }
  }
  return lines;
}

/** Links of one kind and one group that follow each other. */
function groupAlike(chain: readonly Reason[]): readonly (readonly Reason[])[] {
  const runs: Reason[][] = [];
  for (const link of inReadingOrder(chain)) {
    const run = runs.at(-1);
    const first = run?.[0];
    const isAlike =
      first !== undefined && first.as === link.as && (link.as !== "group-member" || first.name === link.name);
    if (run !== undefined && isAlike) run.push(link);
    else runs.push([link]);
  }
  return runs;
}

/** Everybody of one group stands below the entry that names the group. */
function inReadingOrder(chain: readonly Reason[]): readonly Reason[] {
  const people = new Map<string, Reason[]>();
  for (const link of chain) {
    if (link.as !== "group-member" || link.name === undefined) continue;
    people.set(link.name, [...(people.get(link.name) ?? []), link]);
  }
  const ordered: Reason[] = [];
  for (const link of chain) {
    if (link.as === "group-member" && link.name !== undefined) {
      ordered.push(...(people.get(link.name) ?? []));
      people.delete(link.name);
    } else ordered.push(link);
  }
  return ordered;
}

/** What explains the link above it. */
function isNested(as: ReasonKind): boolean {
  return as === "group-member" || as === "role-set" || as === "known-prefix" || as === "key-owner";
}

/** What stands at the place of a link, in a few words. */
function formatReason({ as, name = "", person }: Reason, names: PlanNames): string {
  const who = person === undefined ? "the person" : names.email(person);
  switch (as) {
    case "user":
      return "an entry of `users`";
    case "former-address":
      return `\`previously\`: ${name}`;
    case "leaver":
      return "an entry of `leavers`";
    case "until":
      return `\`until\` ${name}: a leaver from that day on`;
    case "team":
      return `the team ${name}`;
    case "team-roles":
      return "the `roles` of the team";
    case "admin":
      return `the \`admin\` of the team: ${name}`;
    case "founder":
      return `the \`founder\` of the team: ${name}`;
    case "on-removal":
      return "the `onRemoval` of the team";
    case "member":
      return `${who} is listed as a member`;
    case "group":
      return `member through the group ${name}`;
    case "group-member":
      return `whose entry names ${who}`;
    case "member-roles":
      return "the `roles` of this entry";
    case "role-set":
      return `through the role set ${name}`;
    case "own-key-roles":
      return "the `ownKeyRoles` of the user";
    case "key":
      return "an entry of `keys`";
    case "key-owner":
      return `its \`owner\`: ${name}`;
    case "known-prefix":
      return "the prefix that is written there as `key`";
    case "defaults":
      return `the file's \`defaults\`: ${name}`;
    case "account":
      return `the file's \`account\`: ${name}`;
    case "settings-account":
      return `the settings' account: ${name}`;
    case "unnamed":
      return "asked for here";
    default:
      return as;
  }
}
