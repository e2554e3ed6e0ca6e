import type { Knobs } from "../knobs.ts";

export function kindFields(
  how: Knobs["showKeyKinds"],
  key: { readonly kind: string; readonly isDefault?: boolean },
): object {
  if (how === "none") return {};
  const { kind, isDefault } = key;
  return { [how]: kind, ...(isDefault === undefined ? {} : { isDefault }) };
}
