import { setFlagsFromString } from "node:v8";

/**
 * undici parses HTTP with a WebAssembly module, which V8 would compile a second time for speed: a tenth of a second
 * of every command, for a parser that takes next to none of it. Imported before undici, so that its module is compiled once.
 */
setFlagsFromString("--liftoff-only");
