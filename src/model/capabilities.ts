import * as t from "./declare.ts";
import { text } from "./values.ts";

export type Visibility = t.Static<typeof shown>;
export const shown = t.described(
  t.oneOf("shown", "hidden", "unknown"),
  "If the service shows something. `unknown` if no answer had it.",
);

const paging = t.object({
  firstPage: t.described(t.oneOf("0", "1", "0-and-1-alike", "unknown"), "The number of the first page of lists."),
  largestPage: t.optional(
    t.integer({ minimum: 1 }),
    "The most rows of a page, if the service returns fewer than requested.",
  ),
});

/** Learned from the answers of a run. `unknown`: no answer could tell, such as where nobody with a key was shown. */
export type Capabilities = t.Static<typeof capabilities>;
export const capabilities = t.object("What the answers of a service show.", {
  keysOnUsers: shown,
  rolesOnKeys: shown,
  teamsOnKeys: shown,
  titles: shown,
  totals: shown,
  paging,
});

export type WriteBehaviour = t.Static<typeof writes>;
export const writes = t.object("How this service takes writes, as far as our own have shown.", {
  throttling: t.optional(
    t.oneOf("no-effect", "may-have-effect"),
    'Whether a write that is answered with "come back later" may have been done. Absent where nothing is known.',
  ),
  membersNamedBy: t.optional(
    t.oneOf("identifier", "email"),
    "What an addition to a team names people by. Absent where nothing is known.",
  ),
});

/** A field of the service's rows that roster does not read: where it is, by a JSON Pointer from the row, never what stands there. */
export type UnreadField = t.Static<typeof unreadField>;
export const unreadField = t.anyOf(
  t.object({ like: t.oneOf("keys", "prefix", "roles"), pointer: text }),
  t.object({
    like: t.literal("team"),
    pointer: t.described(text, "Empty if the fields of the team stand on the key."),
    identifier: t.optional(text),
    name: t.optional(text),
  }),
);

export function relevantUnreadFields(
  fields: readonly UnreadField[],
  capabilities: Capabilities,
): readonly UnreadField[] {
  const { keysOnUsers, rolesOnKeys, teamsOnKeys } = capabilities;
  const shown = { keys: keysOnUsers, prefix: keysOnUsers, roles: rolesOnKeys, team: teamsOnKeys };
  return fields.filter(({ like }) => shown[like] !== "shown");
}

export function unreadFieldNames(fields: readonly UnreadField[]): readonly string[] {
  const meanings = { keys: "access keys", prefix: "key prefix", roles: "roles", team: "team" };
  const names = fields.flatMap((field) => {
    const pointers = field.like === "team" && field.pointer === "" ? [field.identifier, field.name] : [field.pointer];
    return pointers
      .filter((pointer) => pointer !== undefined)
      .map((pointer) => `${pointer.slice(1).replaceAll("~1", "/").replaceAll("~0", "~")} (${meanings[field.like]})`);
  });
  return [...new Set(names)];
}

/** The entries under `service.shapes` of the settings that say where these fields are. */
export function suggestedShapes(fields: readonly UnreadField[]): readonly string[] {
  const first = (like: UnreadField["like"]) => fields.find((field) => field.like === like)?.pointer;
  const team = fields.find((field) => field.like === "team");
  const shapes = {
    users: { keys: first("keys") },
    key: { prefix: first("prefix"), roles: first("roles"), team: team?.pointer },
    team: { identifier: team?.identifier, name: team?.name },
  };
  return Object.entries(shapes).flatMap(([name, pointers]) => {
    const set = Object.entries(pointers).flatMap(([field, pointer]) =>
      pointer === undefined ? [] : `${field}: ${/^(?:\/[\w-]+)+$/u.test(pointer) ? pointer : JSON.stringify(pointer)}`,
    );
    return set.length === 0 ? [] : `${name}: { ${set.join(", ")} }`;
  });
}

/** Milliseconds from the sending of a call to the last byte of its answer, at the most. */
export const callTimeout = 30_000;

/** What came for one read: kinds and names alone, no values. */
export interface AnswerShape {
  readonly request: string;
  readonly status: number;
  /** Milliseconds since the epoch, when it came. */
  readonly at: number;
  readonly date?: string | undefined;
  /** Such as `a list of 3 objects with the fields identifier, email`. */
  readonly shape: string;
}
