from savegen import Saved, saveable

from saving.components.client.hud import HudSaveLoad


@saveable
class Hud(HudSaveLoad):
    shown: Saved[bool] = True
