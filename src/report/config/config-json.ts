import { type JsonPart, placePart } from "../plan-json.ts";
import type { ConfigReport, SettingSource } from "./config-told.ts";

/** What `roster config` found, as a part of its JSON document. */
export function configPart({ file, inPipeline, trusted, settings }: ConfigReport): JsonPart {
  return {
    file: file === undefined ? null : { path: file.path, found_by: file.foundBy, inside_checkout: file.insideCheckout },
    in_pipeline: inPipeline,
    trusted,
    settings: settings.map(({ name, said, unused, note }) => ({
      name,
      value: said?.value ?? null,
      from: said === undefined ? null : sourcePart(said.from),
      unused: unused.map((saying) => ({ ...saying, from: sourcePart(saying.from) })),
      note,
    })),
  };
}

function sourcePart(source: SettingSource): JsonPart {
  return source.kind === "settings" ? { kind: source.kind, place: placePart(source.place) } : source;
}
