import { setFlagsFromString } from "node:v8";

/** Sets a flag of V8 for the rest of the process. A flag that a release of Node does not know would be an error on every command. */
export function tuneV8(): void {
  // undici parses HTTP with a WebAssembly module, which V8 would compile a second time for speed: a tenth of a second
  // of every command that changes something, for a parser that takes next to none of it.
  setFlagsFromString("--liftoff-only");
}
