import { resolve } from "node:path";
import { problem, success } from "../../model/result.ts";
import { fileStore } from "../../state/file/store.ts";
import { invalidSetting } from "../stop.ts";
import { checkStateFileTrust } from "./state-file-trust.ts";
import type { StoreOpener } from "./store-opener.ts";

export const openFile: StoreOpener = async (address, host) => {
  const written = address.slice("file:".length);
  if (written === "") return problem(noPath);
  const path = resolve(host.cwd, written.replace(/^\/\/(?=\/)/u, ""));
  const trouble = await checkStateFileTrust(path, host);
  if (trouble !== undefined) return problem(trouble);
  const { clock, randomness, localSystem: system } = host;
  return success(fileStore({ path, clock, randomness, ...(system === undefined ? {} : { system }) }));
};

const noPath = invalidSetting(
  "bad-state-address",
  "The state address file: names no path.",
  "Write file:PATH, such as file:.roster/state.json.",
);
