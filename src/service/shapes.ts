const person = ["firstName", "lastName", "title", "externalIdentifier", "source"] as const;
const user = ["identifier", "email", "status", "account", "keys", ...person] as const;

/** The parts of answers that can be mapped, and the fields of each. Pointers to fields start at the row, if there are rows. */
export const shapeFields = {
  users: ["list", "total", ...user],
  search: ["list", "total"],
  accounts: ["list", "total", "identifier", "name", "status"],
  account: ["name", "status", "users"],
  roles: ["list", "total", "identifier", "name", "type"],
  key: ["prefix", "status", "kind", "team", "roles", "isDefault"],
  team: ["identifier", "name"],
  createdUser: [...user, "prefix", "team"],
  addedMembers: ["list", "identifier", "email", "key", "prefix", "error"],
  replacedRoles: ["list"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ShapePart = keyof typeof shapeFields;

/** Where a service's answers hold what roster could not find by itself. */
export type Shapes = {
  readonly [Part in ShapePart]?: Readonly<Partial<Record<(typeof shapeFields)[Part][number], Pointer>>>;
};

/** A JSON Pointer (RFC 6901), such as `/payload/rows`. */
export type Pointer = string;

/** Says what is wrong with a pointer, or nothing. */
export function pointerProblem(text: string): string | undefined {
  if (text !== "" && !text.startsWith("/"))
    return `\`${text}\` is no JSON Pointer: it starts with a slash, like /payload/rows`;
  return /~(?![01])/u.test(text)
    ? `\`${text}\` is no JSON Pointer: ~ is written ~0, and / within a name ~1`
    : undefined;
}

/** What a pointer leads to; `undefined` where it leads nowhere. Sees own properties only. */
export function pointedAt(value: unknown, pointer: Pointer): unknown {
  let at = value;
  for (const step of stepsOf(pointer)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = Object.entries(at).find(([name]) => name === step)?.[1];
  }
  return at;
}

function stepsOf(pointer: Pointer): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
