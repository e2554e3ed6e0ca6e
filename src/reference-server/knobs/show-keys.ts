import { choice, type ValueOf } from "./knob.ts";

export const showKeys = choice("Under which name a user in a list or a search shows the access keys.", "accessKeys", {
  accessKeys: "accessKeys",
  listAccessKeys: "listAccessKeys",
  none: "they are not shown",
});

export function keysField(how: ValueOf<typeof showKeys>, keys: readonly object[]): object {
  return how === "none" ? {} : { [how]: keys };
}
