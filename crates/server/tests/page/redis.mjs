// A small Redis client, so that the check needs no package.
import net from "node:net";

export class Redis {
  /** Connects to a port of this machine. */
  static connect(port) {
    return new Promise((done, fail) => {
      const redis = new Redis();
      redis.waiting = [];
      redis.buffer = Buffer.alloc(0);
      redis.socket = net.connect(Number(port), "127.0.0.1", () => done(redis));
      redis.socket.on("error", fail);
      redis.socket.on("data", (data) => redis.receive(data));
    });
  }

  /** Sends a command. Strings are bytes, one per character. */
  call(...words) {
    return this.pipeline([words]).then(([reply]) => {
      if (reply instanceof Error) throw reply;
      return reply;
    });
  }

  /** Sends commands at once. */
  pipeline(commands) {
    const parts = commands.flatMap((words) => [`*${words.length}\r\n`, ...words.map((word) => `$${word.length}\r\n${word}\r\n`)]);
    const replies = commands.map(() => new Promise((done) => this.waiting.push(done)));
    this.socket.write(Buffer.from(parts.join(""), "latin1"));
    return Promise.all(replies);
  }

  end() {
    this.socket.end();
  }

  receive(data) {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const end = this.buffer.indexOf("\r\n");
      if (end < 0) return;
      const [kind, text] = [String.fromCharCode(this.buffer[0]), this.buffer.subarray(1, end).toString()];
      let [reply, next] = [text, end + 2];
      if (kind === "-") reply = new Error(text);
      if (kind === "$" && text !== "-1") {
        next += Number(text) + 2;
        if (this.buffer.length < next) return;
        reply = this.buffer.subarray(end + 2, next - 2);
      }
      this.buffer = this.buffer.subarray(next);
      this.waiting.shift()(reply);
    }
  }
}
