import { emptyMemory, memoryStore } from "../../../src/state/memory-store.ts";
import { countingRandomness } from "../../support/fixed-ports.ts";
import { describeStore } from "../../support/store-contract.ts";

let places = 0;

describeStore({
  name: "memory",
  secrets: [],
  fencedBy: "unlock",
  async place() {
    const memory = emptyMemory();
    places += 1;
    const randomness = countingRandomness(`place-${places}`);
    return {
      open: async () => memoryStore(memory, randomness),
      async kill() {
        memory.holder = undefined;
      },
      content: async () => memory.text,
      async damage() {
        memory.text = memory.text.slice(0, -10);
      },
    };
  },
});
