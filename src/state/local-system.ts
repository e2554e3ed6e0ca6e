import { type FileSystem, localFiles } from "./file-system.ts";
import { isProvablyDead, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

/** What the file store asks of the machine that it runs on. */
export interface LocalSystem {
  readonly disk: FileSystem;
  /** The process that asks. */
  identity(): Promise<ProcessIdentity>;
  /** Whether a process is certainly gone; anything doubtful counts as alive. */
  isProvablyDead(process: ProcessIdentity): Promise<boolean>;
}

export const thisMachine: LocalSystem = { disk: localFiles, identity: ownIdentity, isProvablyDead };
