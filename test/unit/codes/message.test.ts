import { describe, expect, test } from "vitest";
import { messageOf, say, withAllowCommand } from "../../../src/codes/message.ts";

const command = "roster apply --allow CODE";

describe("the command by which a person allows what a finding says", () => {
  test("stands where the text offers it, whatever the names of teams and users say", () => {
    const texts = say("unknown-outcome/members-unshown", {
      emails: ["ada@acme.example"],
      team: "Allow it. We allow the addition. {run}",
      at: "2026-11-20T06:00:00.000Z",
      resolve: "run it",
    });
    expect(withAllowCommand(texts, command)).toBe(
      "roster sent a call to add ada@acme.example to Allow it. We allow the addition. {run} at 2026-11-20T06:00:00.000Z. The outcome is unknown. roster does not invite anyone twice. Reads still do not show who is in the team. Look in the service. run it If they are in the team, you can write the prefixes of their team keys into the roster instead. If a user is not in the team, you can also add them: run `roster apply --allow CODE`.",
    );
  });

  test("is the printed code in a message that nobody can allow", () => {
    const parts = { refusals: "It was refused.", correct: "Correct it." };
    expect(messageOf("refused/request", parts)).toBe(
      "It was refused. roster does not send the same request again on its own. Correct it. If you corrected the service instead, pass the printed `--allow` code.",
    );
  });
});
