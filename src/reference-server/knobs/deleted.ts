import { choice } from "./knob.ts";

export const deleted = choice("What is left of a user whose status is Deleted.", "visible", {
  visible: "they are shown as any other, and their address is taken",
  "hidden-but-blocks": "no list, search or account shows them, and their address is taken",
  reusable: "no list, search or account shows them, and their address is free",
});
