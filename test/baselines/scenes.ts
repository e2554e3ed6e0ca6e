import type { Scene } from "./scene.ts";
import { codeScenes } from "./scenes/codes.ts";
import { fleetScenes } from "./scenes/fleet.ts";
import { helpScenes } from "./scenes/help.ts";
import { leaverScenes } from "./scenes/leavers.ts";
import { planScenes } from "./scenes/plans.ts";
import { rosterScenes } from "./scenes/rosters.ts";
import { driftScenes, runScenes } from "./scenes/runs.ts";
import { serviceScenes } from "./scenes/service.ts";
import { stateScenes } from "./scenes/state.ts";
import { worldScenes } from "./scenes/worlds.ts";

/** Every scene of which a text is recorded. */
export const scenes: readonly Scene[] = [
  ...helpScenes,
  ...codeScenes,
  ...rosterScenes,
  ...planScenes,
  ...runScenes,
  ...driftScenes,
  ...stateScenes,
  ...serviceScenes,
  ...leaverScenes,
  ...worldScenes,
  ...fleetScenes,
];
