class Message:
    def __init__(self, text, fg):
        self.plain_text = text
        self.fg = fg
        self.count = 1

    @property
    def full_text(self):
        return (
            f"{self.plain_text} (x{self.count})" if self.count > 1 else self.plain_text
        )


class MessageLog:
    def __init__(self):
        self.messages = []

    def add_message(self, text, fg=(255, 255, 255), *, stack=True):
        if stack and self.messages and text == self.messages[-1].plain_text:
            self.messages[-1].count += 1
        else:
            self.messages.append(Message(text, fg))
