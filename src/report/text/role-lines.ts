import { diffArrays } from "diff/lib/diff/array.js";
import type { ReplaceRoles } from "../../model/action.ts";
import { type Fact, formatPlace } from "../../model/fact.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { type Line, prose, row } from "./lines.ts";

/** The change of a key's roles, role by role; where the roles before are not known, the roles after it. */
export function roleLines({ key, before, roles, unlessExact }: ReplaceRoles): readonly Line[] {
  if (before.known !== "unknown") {
    const unless = unlessExact ? [prose(6, "not sent if the key turns out to have these roles", "dim")] : [];
    return [...sourceLines(before), ...changeLines(before.value, roles), ...unless];
  }
  const unless = unlessExact ? [{ ink: "dim", text: ", not sent if the key has just these" } as const] : [];
  const after = row(6, [`= ${roles.length === 0 ? "no roles" : `exactly ${roles.join(", ")}`}`, ...unless]);
  // A key that this plan brings about has no roles before.
  return key.of === "prefix" ? [after, prose(8, `roles before not known: ${before.why}`, "dim")] : [after];
}

function changeLines(before: RoleSet, after: RoleSet): readonly Line[] {
  const changes = diffArrays([...before], [...after]);
  const lines = changes.flatMap(({ value, added, removed }) =>
    value.map((role) => {
      if (added) return row(6, [{ ink: "add", text: `+ ${role}` }]);
      if (removed) return row(6, [{ ink: "remove", text: `- ${role}` }]);
      return row(6, [{ ink: "dim", text: `  ${role}` }]);
    }),
  );
  return lines.length === 0 ? [row(6, [{ ink: "dim", text: "  no roles" }])] : lines;
}

function sourceLines(before: Exclude<Fact<RoleSet>, { known: "unknown" }>): readonly Line[] {
  switch (before.known) {
    case "observed":
      return [];
    case "recorded":
      return [prose(6, `roles before as recorded at ${before.at}`, "dim")];
    case "declared":
      return [prose(6, `roles before as declared at ${formatPlace(before.place)}`, "dim")];
  }
}
