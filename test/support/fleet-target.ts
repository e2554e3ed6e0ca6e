import type { Target } from "../../src/fleet/fleet-file.ts";
import { decodeText, TextRange } from "../../src/yaml/source-text.ts";

const decoded = decodeText("fleet.yaml", new Uint8Array());
if (!decoded.ok) throw new Error("an empty text is a text");
const at = new TextRange(decoded.value, 0, 0);

/** A target of a fleet, of which only its name and its labels count. */
export function fleetTarget(name: string): Target {
  return {
    name,
    roster: [name],
    endpoint: `https://${name}.example`,
    origin: `https://${name}.example`,
    key: { env: "ROSTER_KEY" },
    state: `file:${name}`,
    at,
  };
}
