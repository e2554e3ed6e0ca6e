import type { Target } from "../../fleet/expand-fleet.ts";
import type { Diagnostic } from "../../model/result.ts";
import { keyVariablePrefix } from "../settings/environment.ts";
import type { Settings } from "../settings/settings.ts";
import type { Fleet } from "./read-fleet.ts";

/**
 * The variables that a fleet file in a checkout must not name for a key, with their places. Settings in the checkout cannot list
 * more of them: one change could edit both files.
 */
export function untrustedKeyVariables(
  { insideCheckout, targets }: Pick<Fleet, "insideCheckout" | "targets">,
  { file }: Pick<Settings, "file">,
): readonly Diagnostic[] {
  if (!insideCheckout) return [];
  const listed = file === undefined || file.insideCheckout ? [] : (file.fleet?.keyVariables ?? []);
  return targets.flatMap(({ name, key, keyAt }) => {
    if (key.from !== "env" || key.name.startsWith(keyVariablePrefix) || listed.includes(key.name)) return [];
    return [untrusted(key.name, { name, keyAt })];
  });
}

function untrusted(variable: string, { name, keyAt }: Pick<Target, "name" | "keyAt">): Diagnostic {
  return {
    code: "untrusted-key-variable",
    severity: "error",
    message: `The key of ${name} is in ${variable}, but the fleet file is in a checkout.`,
    hint: `Use a name that begins with ${keyVariablePrefix}, or list it as fleet.keyVariables in settings outside the checkout.`,
    place: keyAt.place,
  };
}
