import { setFlagsFromString } from "node:v8";

/**
 * undici parses HTTP with a WebAssembly module, which V8 would compile a second time for speed: a tenth of a second
 * of every command, for a parser that takes next to none of it. Imported before undici, so that its module is compiled once.
 */
setFlagsFromString("--liftoff-only");

/**
 * V8 optimizes a function after it has run for so long, in bytes of bytecode; its own value is 135,168. Most commands end before the optimized
 * code has paid for its making: an apply of 1,000 new users takes a quarter less processor time so, and a plan of 10,000 users no more.
 */
setFlagsFromString("--interrupt-budget=1000000");
