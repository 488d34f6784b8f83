// A page that is opened as a file cannot start a worker, so its search would not work.
// There, a hidden frame runs the script of the worker.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.document.open();
      this.inside.document.close();
      this.inside.postMessage = (data) => this.answer(data);
      this.inside.importScripts = (...urls) =>
        urls.reduce((loaded, each) => loaded.then(() => this.load(each)), Promise.resolve());
      this.ready = this.load(new URL(url, location.href).href);
    }

    load(url) {
      return new Promise((loaded, failed) => {
        const script = this.inside.document.createElement("script");
        script.src = url;
        script.onload = loaded;
        script.onerror = failed;
        this.inside.document.documentElement.append(script);
      });
    }

    // Messages are copies and arrive later, as those of a real worker.
    answer(data) {
      const event = new MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => {
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      });
    }

    postMessage(message) {
      const data = structuredClone(message);
      this.ready.then(() => {
        this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
