import { choice, type ValueOf } from "./knob.ts";

export const showKeyKinds = choice(
  "How a key that is shown tells whether it is a user's, a team's or a project's.",
  "kind",
  {
    kind: "as kind, and isDefault for a user's own",
    keyType: "as keyType, and isDefault for a user's own",
    none: "not at all",
  },
);

export function kindFields(
  how: ValueOf<typeof showKeyKinds>,
  key: { readonly kind: string; readonly isDefault?: boolean },
): object {
  if (how === "none") return {};
  const { kind, isDefault } = key;
  return { [how]: kind, ...(isDefault === undefined ? {} : { isDefault }) };
}
