import { formatPlace } from "../../model/place.ts";
import { table } from "../table.ts";
import { type Line, prose, stacked } from "../text/lines.ts";
import type { ConfigTold, SettingTold, Source } from "./config-told.ts";

/** Every setting, its value and where it comes from, for people. */
export function configLines(told: ConfigTold): readonly Line[] {
  return stacked([headLines(told), table(["setting", "value", "from"], told.settings.flatMap(rowsOf))]);
}

function headLines({ file, inPipeline, trusted }: ConfigTold): readonly Line[] {
  return [
    prose(0, fileWords(file), "strong"),
    ...(file?.insideCheckout ? [prose(0, trustWords(inPipeline, trusted))] : []),
  ];
}

function fileWords(file: ConfigTold["file"]): string {
  if (file === undefined) return "No settings file.";
  const how = file.foundBy === "search" ? "found from here upward" : "named by ROSTER_CONFIG";
  return `Settings ${file.path}, ${how}, ${file.insideCheckout ? "inside" : "outside"} the checkout.`;
}

function trustWords(inPipeline: ConfigTold["inPipeline"], trusted: ConfigTold["trusted"]): string {
  if (trusted) return "ROSTER_TRUST_SETTINGS=1: whoever can change the checkout may do all that the key can do.";
  return inPipeline
    ? "CI is set: what a change to the checkout must not decide is refused there."
    : "CI is not set: the settings count as this person's, but a key from the environment goes to no endpoint that they name.";
}

function rowsOf({ name, said, unused, note }: SettingTold): readonly (readonly string[])[] {
  const inForce =
    said === undefined ? [name, note ?? "not set", ""] : [name, short(said.value), sourceWords(said.from)];
  return [inForce, ...unused.map(({ value, from, why }) => ["", short(value), `${sourceWords(from)}, ${why}`])];
}

function sourceWords(source: Source): string {
  switch (source.kind) {
    case "flag":
    case "variable":
      return source.name;
    case "settings":
      return formatPlace(source.place);
    case "default":
      return "default";
  }
}

const longest = 60;

/** The whole of it is in the JSON document. */
function short(value: string): string {
  const characters = [...value];
  return characters.length <= longest ? value : `${characters.slice(0, longest - 1).join("")}…`;
}
