// The gate at inputs, as calls know it. What stands at the gate makes calls itself, so it is named when the app starts instead of imported here.

/** What judges texts that people wrote. It throws a Refusal for one that must not be sent. */
export interface Judge {
  /**
   * @param ask whether the person may say that what was found identifies nobody
   * @param path where it is sent to, which can name its case
   */
  pass(written: unknown, ask: boolean, path: string): Promise<void>;
}

let find: (() => Promise<Judge>) | undefined;

/** Names what judges. It is loaded when something was written. */
export function judgeBy(load: () => Promise<Judge>): void {
  find = load;
}

/** Lets what a person wrote pass, or throws. Nothing passes before somebody judges. */
export async function pass(written: unknown, ask: boolean, path: string): Promise<void> {
  if (!find) throw new Error("nothing judges what is written");
  const judge = await find();
  await judge.pass(written, ask, path);
}
