import { setFlagsFromString } from "node:v8";

/** Sets two flags of V8 for the rest of the process. */
export function tuneV8(): void {
  // undici parses HTTP with a WebAssembly module, which V8 would compile a second time for speed: a tenth of a second
  // of every command that changes something, for a parser that takes next to none of it.
  setFlagsFromString("--liftoff-only");
  // V8 optimizes a function after it has run for so long, in bytes of bytecode; its own value is 135,168. Most commands end before the optimized
  // code has paid for its making: an apply of 1,000 new users takes a quarter less processor time so, and a plan of 10,000 users no more.
  setFlagsFromString("--interrupt-budget=1000000");
}
