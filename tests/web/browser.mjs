// Chromium without a screen and with a software renderer, by its DevTools protocol through a pipe.
import {spawn} from 'node:child_process';

export class Browser {
    constructor(program, profile, width, height) {
        this.child = spawn(program, [
            '--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars',
            '--no-first-run', '--disable-extensions', '--disable-background-networking',
            '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
            '--force-device-scale-factor=1', `--window-size=${width},${height}`,
            `--user-data-dir=${profile}`, '--remote-debugging-pipe', 'about:blank',
        ], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
        this.size = {width, height, deviceScaleFactor: 1, mobile: false};
        this.last = 0;
        this.waiting = new Map();
        this.onEvent = () => {};
        let rest = Buffer.alloc(0);
        this.child.stdio[4].on('data', (data) => {
            rest = Buffer.concat([rest, data]);
            for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
                this.take(JSON.parse(rest.toString('utf8', 0, end)));
            }
        });
        this.ended = new Promise((resolve) => this.child.once('close', resolve));
        this.ended.then(() => {
            for (const {reject} of this.waiting.values()) {
                reject(new Error('chromium ended'));
            }
        });
        this.child.once('error', () => {});
        this.child.stdio[3].on('error', () => {});
    }

    take(message) {
        const asker = this.waiting.get(message.id);
        if (!asker) {
            this.onEvent(message);
            return;
        }
        this.waiting.delete(message.id);
        if (message.error) {
            asker.reject(new Error(message.error.message));
        } else {
            asker.resolve(message.result);
        }
    }

    send(method, params = {}, sessionId = undefined) {
        const id = ++this.last;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, {resolve, reject});
            this.child.stdio[3].write(`${JSON.stringify({id, method, params, sessionId})}\0`);
        });
    }

    // Opens a page, waits until window.karstReady is there, and gives it with the errors that the
    // page reported and a picture (PNG).
    async open(url, seconds) {
        const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
        const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
        const errors = [];
        this.onEvent = ({method, params}) => {
            if (method === 'Runtime.exceptionThrown') {
                const {text, exception} = params.exceptionDetails;
                errors.push(exception?.description ?? text);
            } else if (method === 'Runtime.consoleAPICalled' && /error|assert/.test(params.type)) {
                errors.push(params.args.map((arg) => arg.value ?? arg.description).join(' '));
            } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
                errors.push(`${params.entry.text} ${params.entry.url ?? ''}`);
            }
        };
        for (const domain of ['Runtime', 'Log', 'Page']) {
            await this.send(`${domain}.enable`, {}, sessionId);
        }
        await this.send('Emulation.setDeviceMetricsOverride', this.size, sessionId);
        await this.send('Page.navigate', {url}, sessionId);
        let facts = null;
        const end = Date.now() + seconds * 1000;
        while (!facts && errors.length === 0 && Date.now() < end) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            const {result} = await this.send('Runtime.evaluate', {
                expression: 'window.karstReady ?? null', returnByValue: true}, sessionId);
            facts = result.value;
        }
        if (!facts && errors.length === 0) {
            errors.push(`it was not ready after ${seconds} s`);
        }
        const {data} = await this.send('Page.captureScreenshot', {format: 'png'}, sessionId);
        await this.send('Target.closeTarget', {targetId});
        return {facts, errors, png: Buffer.from(data, 'base64')};
    }

    async close() {
        await this.send('Browser.close').catch(() => {});
        const timer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
        await this.ended;
        clearTimeout(timer);
    }
}
