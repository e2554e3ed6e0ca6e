import { describe, expect, test } from "vitest";
import { findings } from "../../../src/codes/findings.ts";
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
      "At 2026-11-20T06:00:00.000Z, roster sent a call to add ada@acme.example to Allow it. We allow the addition. {run}. The outcome is unknown. roster does not invite anyone twice. The API still does not show who is in the team. Look in the web interface of the service. run it If the service shows the prefixes of the team keys, you can write these prefixes into the roster instead. To add ada@acme.example to Allow it. We allow the addition. {run}, if you know that the first call had no effect, run `roster apply --allow CODE`.",
    );
  });

  test("is the printed code in a message that nobody can allow", () => {
    const parts = { refusals: "It was refused.", correct: "Correct it.", asked: "create ada" };
    expect(messageOf("refused/request", parts)).toBe(
      "It was refused. roster does not send the same request again on its own. Correct it. To create ada after a correction in the service, pass the printed `--allow` code.",
    );
  });

  test("comes in every text after what it is for", () => {
    const texts = Object.values(findings).flatMap(({ says }) =>
      typeof says === "string" ? says : Object.values(says),
    );
    const offering = texts.filter((text) => text.includes("{run}"));
    expect(offering.length).toBeGreaterThan(15);
    expect(offering.filter((text) => !/[.\]:>] ?To [^.]+, \{run\}/u.test(text))).toEqual([]);
  });
});
