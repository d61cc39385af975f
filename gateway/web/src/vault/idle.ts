// When the vault locks by itself.
import { type Message, tabs, tellLocked } from "./tabs.js";

const CHECK = 5_000;
const TELL = 10_000;

/** Watches for keys and pointers in every tab of the app while a vault is open, and locks it after minutes without any. */
export class Idle {
  private readonly channel = tabs();
  private used = 0;
  private told = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly seen = (): void => this.use();
  private readonly look = (): void => this.check();

  /**
   * @param limit minutes without use after which lock is called
   * @param lock locks this tab's vault; called too when another tab was told to lock
   */
  constructor(
    private readonly limit: () => number,
    private readonly lock: () => void,
  ) {
    this.channel.onmessage = (event: MessageEvent<Message>) => {
      if (event.data.vault === "lock") this.lock();
      else this.used = Date.now();
    };
  }

  /** Begins to watch. */
  start(): void {
    this.stop();
    this.used = Date.now();
    for (const name of ["pointerdown", "keydown", "wheel", "touchstart"])
      addEventListener(name, this.seen, { passive: true, capture: true });
    addEventListener("visibilitychange", this.look);
    addEventListener("pageshow", this.look);
    this.timer = setInterval(this.look, CHECK);
  }

  /** Ends watching. */
  stop(): void {
    clearInterval(this.timer);
    for (const name of ["pointerdown", "keydown", "wheel", "touchstart"])
      removeEventListener(name, this.seen, { capture: true });
    removeEventListener("visibilitychange", this.look);
    removeEventListener("pageshow", this.look);
  }

  /** Locks the vault in all other tabs. */
  tellLocked(): void {
    tellLocked(this.channel);
  }

  private use(): void {
    this.check();
    this.used = Date.now();
    if (this.used - this.told < TELL) return;
    this.told = this.used;
    this.channel.postMessage({ vault: "used" } satisfies Message);
  }

  /** The clock decides, not the timer: a machine that slept runs no timers. */
  private check(): void {
    if (Date.now() - this.used >= this.limit() * 60_000) this.lock();
  }
}
