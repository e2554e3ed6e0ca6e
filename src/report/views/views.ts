import { row } from "../text/lines.ts";
import { accessView } from "./access-view.ts";
import { callsView } from "./calls-view.ts";
import { mermaidText } from "./mermaid.ts";
import { teamsView } from "./teams-view.ts";
import type { View } from "./view.ts";
import type { ViewName } from "./view-name.ts";

/** The ways to read a plan, by name. A new one is a file, a name and a line here. */
export const views: Readonly<Record<ViewName, View>> = {
  teams: teamsView,
  access: accessView,
  calls: callsView,
  mermaid: (plan) => [mermaidText(plan).map((text) => row(0, [text]))],
};
